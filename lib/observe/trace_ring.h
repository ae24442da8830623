/* SPDX-License-Identifier: MIT */
/* The memory of a trace: trace_record.c fills it, trace_walk.c reads it. */
#ifndef WSFJ_OBSERVE_TRACE_RING_H
#define WSFJ_OBSERVE_TRACE_RING_H

#include "task/event.h"

#include <sys/types.h>
#include <time.h>

/* One event; the numbers are those of event.h. */
struct wsfj_trace_record {
    uint64_t ticks; /* 0: empty; WSFJ_TRACE_BUSY: a thread is writing the record */
    uint32_t event; /* and the detail in the upper half */
    uint32_t a, b, c;
};
#define WSFJ_TRACE_BUSY 1u

#define WSFJ_TRACE_NAMES_CACHED 64

struct wsfj_trace_ring {
    uint64_t next; /* how many events so far. The writer stores it with release, for a flush while it writes */
    uint64_t mask; /* number of records - 1 */
    struct wsfj_trace_record *records;
    bool count;                     /* ticks.h */
    uint64_t steals, steals_failed; /* the lane's counters, for a flush; failures are no events */
    /* trace_cpu.c. Any thread may read them, at a flush. */
    const void *thread; /* the thread that serves the worker and runs; NULL: none */
    clockid_t cpu_clock;
    uint64_t cpu, cpu_then; /* nanoseconds of threads that served it before; of this one, when it began */
    const pid_t *own;       /* the worker's tid; NULL: of no worker */
    pid_t delayed; /* the first of the runtime's threads that served the worker, or the main thread; 0: none, or it has ended */
    uint64_t delay, delay_then; /* what it waited for a processor until it ended; before that */
    struct {
        const void *key;
        uint32_t index;
    } names[WSFJ_TRACE_NAMES_CACHED]; /* by address: a cache of trace_names.c; only the writer's */
};

/* All that a trace is drawn from. */
struct wsfj_trace {
    struct wsfj_trace_ring *rings; /* one for each worker, and one for all other threads */
    unsigned workers;
    unsigned cpus;                                     /* that the program may use; 0: not known */
    uint64_t start_ticks, start_ns, end_ticks, end_ns; /* two moments, by both clocks */
};

/* How many records the ring has, and how many it has lost. */
static inline uint64_t wsfj_trace_kept(const struct wsfj_trace_ring *ring)
{
    uint64_t next = load_acquire(&ring->next);

    return next > ring->mask ? ring->mask + 1 : next;
}

static inline uint64_t wsfj_trace_dropped(const struct wsfj_trace_ring *ring)
{
    return load_acquire(&ring->next) - wsfj_trace_kept(ring);
}

#endif
