/* SPDX-License-Identifier: MIT */
/**
 * @file trace.h
 * The program's own marks in a trace of the workers (WSFJ_TRACE=file; doc/observing.md).
 */
#ifndef WSFJ_TRACE_MARK_H
#define WSFJ_TRACE_MARK_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined WSFJ_SERIAL || defined WSFJ_RACE

static inline void ws_trace_mark(const char *wsfj_name)
{
    (void)wsfj_name;
}

#else

/**
 * Writes a mark with the present time into the trace, on the track of the worker that runs the calling task, or of
 * "other threads". Without a trace, the call only counts the mark and takes a few nanoseconds.
 *
 * @param wsfj_name constant text. The first call reads it; later calls know it by its address. At most 95 bytes are kept.
 *             NULL means "mark".
 * Thread-safe. Not in signal handlers.
 */
void ws_trace_mark(const char *wsfj_name);

#endif

#ifdef __cplusplus
}
#endif

#endif
