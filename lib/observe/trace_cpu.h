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

/* For how long the thread that belongs to the worker wanted a processor and had none, as the kernel counts it (schedstat), also
 * when it was woken, since it first served the worker; 0 if the kernel does not count it. Of the ring of all other
 * threads: the main thread since the start of the trace. Guests and spares are not asked, because each time would cost
 * some microseconds. For any thread. */
uint64_t wsfj_trace_delay(const struct wsfj_trace_ring *ring);
void wsfj_trace_delay_start(struct wsfj_trace_ring *ring, pid_t thread);

/* How many processors the calling thread may use; 0: not known. */
unsigned wsfj_trace_cpus(void);

#endif
