/* SPDX-License-Identifier: MIT */
/*
 * WSFJ_TRACE: each worker writes its events into a ring of its own, without locks; the newest stay. At the end, or
 * before a signal kills the process, they are written to the file. Neighbours: event.h, which calls wsfj_trace_put();
 * trace_walk.c, which reads the rings; trace_on_crash.c.
 */
#ifndef WSFJ_OBSERVE_TRACE_H
#define WSFJ_OBSERVE_TRACE_H

#include "base/base.h"

struct wsfj_stack;
struct wsfj_trace_ring;

/* When the workers are made, before their threads start: opens the file and gives each worker its ring. Does nothing
 * without WSFJ_TRACE, and prints one line if it fails. */
void wsfj_trace_start(void);

/* After the last thread has ended: writes the file. */
void wsfj_trace_stop(void);

/* Writes the events so far while threads run, at exit or in a signal handler. Waits if another thread is writing. A
 * signal that comes just after the file was written does not have it written again. Safe in signal handlers. */
void wsfj_trace_flush(bool is_signal);

/* In the child of a fork: the file is the parent's. */
void wsfj_trace_forget(void);

/* trace_record.c: the index of the name of the task that is about to begin on the stack. Not in signal handlers. */
uint32_t wsfj_trace_task(struct wsfj_trace_ring *ring, struct wsfj_stack *stack);

/* The index of a constant text. */
uint32_t wsfj_trace_text(struct wsfj_trace_ring *ring, const char *text);

/* Hooks: event.h calls them, and the loop of a worker. */
void wsfj_trace_put(struct wsfj_trace_ring *ring, unsigned event, unsigned detail, uint32_t a, uint32_t b, uint32_t c);
void wsfj_trace_put_shared(struct wsfj_trace_ring *ring, unsigned event, unsigned detail, uint32_t a, uint32_t b,
                           uint32_t c);

#endif
