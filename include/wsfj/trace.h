/* SPDX-License-Identifier: MIT */
/**
 * @file trace.h
 * The program's own marks in a trace of what the workers do (WSFJ_TRACE=file; doc/observing.md).
 */
#ifndef WSFJ_TRACE_MARK_H
#define WSFJ_TRACE_MARK_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef WSFJ_SERIAL

static inline void ws_trace_mark(const char *name)
{
    (void)name;
}

#else

/**
 * Writes a mark into the trace, at this moment on the worker that the calling task is on, or among "other threads". Without
 * a trace it is counted and costs some nanoseconds.
 *
 * @param name constant text: it is read when the mark is seen for the first time, and known by its address from then on.
 *             Up to 95 bytes are kept; NULL is "mark".
 * Thread-safe. Not in signal handlers.
 */
void ws_trace_mark(const char *name);

#endif

#ifdef __cplusplus
}
#endif

#endif
