/* SPDX-License-Identifier: MIT */
/**
 * @file trace.h
 * The program's own marks in a trace of the workers (WSFJ_TRACE=file), and its lines in a dump (doc/observing.md).
 */
#ifndef WSFJ_TRACE_MARK_H
#define WSFJ_TRACE_MARK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Writes a text as snprintf() does, at most wsfj_size bytes with the null at its end; 0: nothing to say. */
typedef int ws_dump_function(void *wsfj_arg, char *wsfj_text, size_t wsfj_size);

#if defined WSFJ_SERIAL || defined WSFJ_RACE

#include <errno.h>

static inline void ws_trace_mark(const char *wsfj_name)
{
    (void)wsfj_name;
}

static inline int ws_dump_add(ws_dump_function *wsfj_fn, void *wsfj_arg)
{
    (void)wsfj_arg;
    return wsfj_fn ? 0 : EINVAL;
}

static inline int ws_dump_remove(ws_dump_function *wsfj_fn, void *wsfj_arg)
{
    (void)wsfj_fn;
    (void)wsfj_arg;
    return 0;
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

/**
 * Adds a line of the program to each dump (WSFJ_DUMP_SIGNAL, WSFJ_WATCHDOG): what it waits for, or how much is left.
 *
 * @param wsfj_fn the library's watching thread calls it with wsfj_arg during a dump. It must not block, and it takes no lock that
 *                a task may hold while it waits. At most 255 bytes up to the first newline are kept.
 * @param wsfj_arg for the function
 * @return 0; EINVAL: there is no function; ENOMEM: there are 16 such lines
 *
 * Thread-safe, also before ws_init() and after ws_fini(); the lines stay. Not in signal handlers.
 */
int ws_dump_add(ws_dump_function *wsfj_fn, void *wsfj_arg);

/**
 * Removes a line of ws_dump_add(). Afterwards its function does not run. Waits for a dump that calls it just now.
 *
 * @param wsfj_fn as for ws_dump_add()
 * @param wsfj_arg as for ws_dump_add()
 * @return 0; ENOENT: there is no such line
 *
 * Thread-safe. Not in signal handlers, nor in such a function.
 */
int ws_dump_remove(ws_dump_function *wsfj_fn, void *wsfj_arg);

#endif

#ifdef __cplusplus
}
#endif

#endif
