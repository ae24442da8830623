/* SPDX-License-Identifier: MIT */
/*
 * What can happen to a worker. One table gives the names of counters (stats.c), trace events (trace.c) and probes.
 * Spawns are not in it: they are too frequent. worker.h keeps each worker's log; trace_walk.c draws the events.
 */
#ifndef WSFJ_TASK_EVENT_H
#define WSFJ_TASK_EVENT_H

#include "base/atomic.h"
#include "base/base.h"

#ifdef HAVE_SYS_SDT_H
#include <sys/sdt.h>
#define WSFJ_PROBE(name, worker, detail, a, b, c) DTRACE_PROBE5(libwsfj, name, worker, detail, a, b, c)
#else
#define WSFJ_PROBE(name, worker, detail, a, b, c) ((void)0)
#endif

/*
 * Name; 1 if a trace records each one. Comment: what happens, then the meaning of detail, a, b, c ("-": unused).
 * "stack" is the number of a stack, "turn" how often the fiber has run before, "name" the index of a task's name.
 */
#define WSFJ_EVENTS(X)                                                                                                 \
    X(task_begin, 1)   /* a task begins on a stack taken from the pool: -, stack, name, turn */                        \
    X(task_end, 1)     /* ... and ends, the stack returns to the pool: -, stack */                                     \
    X(suspend, 1)      /* a join's continuation is suspended: -, stack, children that are not done */                  \
    X(wait, 1)         /* a fiber waits for a group: -, stack */                                                       \
    X(yield, 1)        /* a fiber lets others run: -, stack, -, its next turn */                                       \
    X(resume, 1)       /* a waiting fiber becomes runnable: -, stack, -, its next turn */                              \
    X(go_on, 1)        /* a fiber that has waited or yielded runs again: -, stack, name, turn */                       \
    X(steal, 1)        /* enum wsfj_tier, victim, tasks taken, tasks remaining */                                      \
    X(steal_fail, 0)   /* a victim had no task to take: -, victim */                                                   \
    X(ask, 1)          /* a thief asks an owner to make tasks public: -, victim */                                     \
    X(answer, 1)       /* the owner does so: -, stack, tasks in its deque */                                           \
    X(force, 1)        /* a thief takes a private task itself: -, victim */                                            \
    X(search, 1)       /* the worker's queues are empty, it searches */                                                \
    X(park, 1)         /* the worker goes to sleep: 1 if surplus */                                                    \
    X(unpark, 1)       /* the worker has been woken */                                                                 \
    X(wake, 1)         /* the worker wakes another one: -, which */                                                    \
    X(overflow, 1)     /* half a run queue moves to the global queue: -, tasks */                                      \
    X(global_take, 1)  /* tasks come from the global queue: -, tasks */                                                \
    X(block_begin, 1)  /* a fiber is about to block and lends its slot: -, stack */                                    \
    X(block_end, 1)    /* the fiber has a slot again: 1 if none took it, stack, name, turn */                          \
    X(region_begin, 1) /* the root of a ws_run() begins: -, stack */                                                   \
    X(region_end, 1)   /* ... and ends: -, stack */                                                                    \
    X(mark, 1)         /* ws_trace_mark(): -, -, name */

#define WSFJ_EVENT_NUMBER(name, recorded) WSFJ_EVENT_##name,
enum wsfj_event { WSFJ_EVENTS(WSFJ_EVENT_NUMBER) WSFJ_EVENT_COUNT };
#undef WSFJ_EVENT_NUMBER

#define WSFJ_EVENT_RECORDED(name, recorded) WSFJ_EVENT_IS_RECORDED_##name = recorded,
enum { WSFJ_EVENTS(WSFJ_EVENT_RECORDED) };
#undef WSFJ_EVENT_RECORDED

enum { WSFJ_TIERS = 5 }; /* enum wsfj_tier (machine/tier.h) */

struct wsfj_trace_ring;

/* A worker's log. One writer, the thread that serves the worker; only on slow paths. */
struct wsfj_log {
    uint64_t count[WSFJ_EVENT_COUNT];
    uint64_t steals[WSFJ_TIERS];
    struct wsfj_trace_ring *ring; /* NULL: no trace. Constant while the runtime runs */
};

void wsfj_trace_put(struct wsfj_trace_ring *ring, enum wsfj_event event, unsigned detail, uint32_t a, uint32_t b,
                    uint32_t c);
void wsfj_trace_put_shared(struct wsfj_trace_ring *ring, enum wsfj_event event, unsigned detail, uint32_t a, uint32_t b,
                           uint32_t c);

/* `w`: the worker that the calling thread serves. */
#define WSFJ_EVENT(w, name, detail, a, b, c)                                                                           \
    do {                                                                                                               \
        WSFJ_COUNT(w, name);                                                                                           \
        WSFJ_RECORD(w, name, detail, a, b, c);                                                                         \
    } while (0)

#define WSFJ_COUNT(w, name) count_one(&(w)->log.count[WSFJ_EVENT_##name])

#define WSFJ_RECORD(w, name, detail, a, b, c)                                                                          \
    do {                                                                                                               \
        struct wsfj_trace_ring *wsfj_events = load_relaxed(&(w)->log.ring);                                            \
                                                                                                                       \
        WSFJ_PROBE(name, (w)->id, detail, a, b, c);                                                                    \
        if (WSFJ_EVENT_IS_RECORDED_##name && WSFJ_UNLIKELY(wsfj_events != NULL))                                       \
            wsfj_trace_put(wsfj_events, WSFJ_EVENT_##name, detail, a, b, c);                                           \
    } while (0)

/* Events on threads that serve no worker: any number of writers. */
extern struct wsfj_log wsfj_foreign_log;

#define WSFJ_FOREIGN(name, detail, a, b, c)                                                                            \
    do {                                                                                                               \
        struct wsfj_trace_ring *wsfj_events = load_relaxed(&wsfj_foreign_log.ring);                                    \
                                                                                                                       \
        (void)add_relaxed(&wsfj_foreign_log.count[WSFJ_EVENT_##name], 1);                                              \
        WSFJ_PROBE(name, UINT32_MAX, detail, a, b, c);                                                                 \
        if (WSFJ_UNLIKELY(wsfj_events != NULL))                                                                        \
            wsfj_trace_put_shared(wsfj_events, WSFJ_EVENT_##name, detail, a, b, c);                                    \
    } while (0)

#endif
