/* SPDX-License-Identifier: MIT */
/*
 * What can happen to a worker: one table, from which counters (stats.c), trace (trace.c) and probes get their names. A
 * spawn is no event: it is too hot. Neighbours: worker.h, which has the log; trace_walk.c, which draws the events.
 */
#ifndef WSFJ_TASK_EVENT_H
#define WSFJ_TASK_EVENT_H

#include "base/atomic.h"
#include "base/base.h"
#include "base/hooks.h"

#ifdef HAVE_SYS_SDT_H
#include <sys/sdt.h>
#define WSFJ_PROBE(name, worker, detail, a, b, c) DTRACE_PROBE5(libwsfj, name, worker, detail, a, b, c)
#else
#define WSFJ_PROBE(name, worker, detail, a, b, c) ((void)0)
#endif

/*
 * The name, and whether a trace records each one. Then the meaning of its numbers: detail, a, b, c. "stack" is the
 * number of a stack, "part" how often its fiber was resumed before, "name" the index of a task's name. After a change
 * raise WSFJ_TRACE_FORMAT.
 */
#define WSFJ_EVENTS(X)                                                                                                 \
    X(task_begin, 1)        /* a task begins on a stack taken from the pool: -, stack, name, 0 */                      \
    X(task_end, 1)          /* the task ends, the stack goes back: -, stack */                                         \
    X(suspend, 1)           /* a fiber waits at a sync: -, stack, children that are not done */                        \
    X(wait, 1)              /* a fiber waits for a group: -, stack */                                                  \
    X(yield, 1)             /* a fiber lets others run: -, stack, -, next part */                                      \
    X(runnable, 1)          /* what a fiber waited for is done: -, stack, -, next part */                              \
    X(resume, 1)            /* a fiber that waited or yielded runs again: -, stack, name, part */                      \
    X(steal, 1)             /* enum wsfj_tier, victim, tasks taken at once, tasks remaining */                         \
    X(cancel, 0)            /* a thief drops a task whose scope is cancelled: -, victim */                             \
    X(steal_fail, 0)        /* a try at a victim that brought nothing: -, victim */                                    \
    X(expose_request, 1)    /* a thief asks an owner to make tasks public: -, victim */                                \
    X(expose, 1)            /* the owner makes tasks public: -, stack, tasks in its deque */                           \
    X(expose_force, 1)      /* a thief makes them public without the owner: -, victim */                               \
    X(split, 0)             /* a thief has taken a part of a running loop */                                           \
    X(slice_home, 0)        /* a worker runs its own slice of a static loop */                                         \
    X(slice_other, 0)       /* a worker runs the slice of another one */                                               \
    X(search, 1)            /* a worker's own queues are empty, it looks for work */                                   \
    X(park, 1)              /* the worker goes to sleep: 1 if it is surplus */                                         \
    X(unpark, 1)            /* the worker was woken */                                                                 \
    X(wake, 1)              /* a worker wakes another one: -, which one */                                             \
    X(overflow, 1)          /* half of a full run queue goes to the global queue: -, tasks */                          \
    X(global_queue_take, 1) /* tasks come from the global queue: -, tasks */                                           \
    X(block_begin, 1)       /* a fiber is about to block, its slot is lent: -, stack */                                \
    X(block_end, 1)         /* the fiber has a slot: 1 if it is still its own, stack, name, part */                    \
    X(region_begin, 1)      /* the root of a ws_run() begins: -, stack */                                              \
    X(region_end, 1)        /* that root ends: -, stack */                                                             \
    X(loop_begin, 1)        /* a loop begins that is not short: -, stack, name */                                      \
    X(loop_end, 1)          /* that loop ends, but for its stolen parts: -, stack, name */                             \
    X(mark, 1)              /* ws_trace_mark(): -, -, name */

#define WSFJ_EVENT_NUMBER(name, recorded) WSFJ_EVENT_##name,
enum wsfj_event { WSFJ_EVENTS(WSFJ_EVENT_NUMBER) WSFJ_EVENT_COUNT };
#undef WSFJ_EVENT_NUMBER

#define WSFJ_EVENT_RECORDED(name, recorded) WSFJ_EVENT_IS_RECORDED_##name = recorded,
enum { WSFJ_EVENTS(WSFJ_EVENT_RECORDED) };
#undef WSFJ_EVENT_RECORDED

enum { WSFJ_TIERS = 5 }; /* enum wsfj_tier (machine/tier.h) */

struct wsfj_trace_ring;

/* A worker's events. Only the thread that serves the worker writes; all on slow paths. */
struct wsfj_log {
    uint64_t count[WSFJ_EVENT_COUNT];
    uint64_t steals[WSFJ_TIERS];
    uint64_t followed;            /* detached tasks that have begun where another one has ended (detached.h) */
    struct wsfj_trace_ring *ring; /* NULL: no trace. Constant while the runtime runs */
};

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
            wsfj_hooks.trace_put(wsfj_events, WSFJ_EVENT_##name, detail, a, b, c);                                     \
    } while (0)

/* Events of threads that serve no worker: any number of writers. */
extern struct wsfj_log wsfj_foreign_log;

#define WSFJ_FOREIGN(name, detail, a, b, c)                                                                            \
    do {                                                                                                               \
        struct wsfj_trace_ring *wsfj_events = load_relaxed(&wsfj_foreign_log.ring);                                    \
                                                                                                                       \
        (void)add_relaxed(&wsfj_foreign_log.count[WSFJ_EVENT_##name], 1);                                              \
        WSFJ_PROBE(name, UINT32_MAX, detail, a, b, c);                                                                 \
        if (WSFJ_UNLIKELY(wsfj_events != NULL))                                                                        \
            wsfj_hooks.trace_put_shared(wsfj_events, WSFJ_EVENT_##name, detail, a, b, c);                              \
    } while (0)

#endif
