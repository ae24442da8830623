/* SPDX-License-Identifier: MIT */
/*
 * How much processor time each worker's threads have used while they served it. A trace has it beside its events: a
 * worker that runs a task for a second may have had a processor for half of it. Neighbour: trace.c, which tells of each
 * event.
 */
#ifndef WSFJ_OBSERVE_TRACE_CPU_H
#define WSFJ_OBSERVE_TRACE_CPU_H

#include "observe/trace_ring.h"

/* The calling thread has recorded an event of the worker, so it serves the worker, unless the event says otherwise. */
void wsfj_trace_cpu_note(struct wsfj_trace_ring *ring, enum wsfj_event event);

/* A hook: the calling thread serves the ring's worker no more. */
void wsfj_trace_leave(struct wsfj_trace_ring *ring);

/* Nanoseconds so far. For any thread, at any time: a thread that just begins or ends to serve may be missed. */
uint64_t wsfj_trace_cpu(const struct wsfj_trace_ring *ring);

/* For how many nanoseconds a thread wanted a processor and had none, also when it was just woken: the kernel counts that in
 * schedstat. 0 if it does not. A worker's ring has the worker's own thread, from the moment that it first serves the worker.
 * The ring of all other threads has the main thread, from the start of the trace. Guests and spares are not asked, because
 * each question would cost some microseconds. For any thread. */
uint64_t wsfj_trace_delay(const struct wsfj_trace_ring *ring);
void wsfj_trace_delay_start(struct wsfj_trace_ring *ring, pid_t thread);

/* How many processors the calling thread may use; 0: not known. */
unsigned wsfj_trace_cpus(void);

#endif
