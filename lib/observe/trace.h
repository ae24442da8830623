/* SPDX-License-Identifier: MIT */
/*
 * WSFJ_TRACE: each worker writes its events into a ring of its own, without locks; the newest ones stay. At the end, or
 * when a signal kills the process, they go to the file. Neighbours: event.h, who calls wsfj_trace_put(); trace_walk.c,
 * who reads the rings; trace_on_crash.c.
 */
#ifndef WSFJ_OBSERVE_TRACE_H
#define WSFJ_OBSERVE_TRACE_H

#include "base/base.h"

struct wsfj_stack;
struct wsfj_trace_ring;

/* Before the workers' threads start, after they are made: opens the file and gives each worker its ring. Nothing without
 * WSFJ_TRACE; one line if it cannot be done. */
void wsfj_trace_start(void);

/* After the last thread has gone: writes the file. */
void wsfj_trace_stop(void);

/* The same while threads run, at exit or from a handler of a signal: what there is at this moment. If another thread is at
 * it, waits; what a signal has just had written, another one does not begin again. Safe in signal handlers. */
void wsfj_trace_flush(bool is_signal);

/* In the child of a fork: the file is the parent's. */
void wsfj_trace_forget(void);

/* The index of the name of the task that is about to begin on the stack. Not in signal handlers. */
uint32_t wsfj_trace_task(struct wsfj_trace_ring *ring, struct wsfj_stack *stack);

#endif
