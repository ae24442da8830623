/* SPDX-License-Identifier: MIT */
/*
 * How events are noted: counted, recorded in a trace, and as a probe. A spawn is no event: it is too hot. Neighbours:
 * event_rows.h, which events there are; worker.h, which has the log.
 */
#ifndef WSFJ_TASK_EVENT_H
#define WSFJ_TASK_EVENT_H

#include "base/atomic.h"
#include "base/base.h"
#include "base/hooks.h"
#include "task/event_rows.h"

#ifdef HAVE_SYS_SDT_H
#include <sys/sdt.h>
#define WSFJ_PROBE(name, worker, detail, a, b, c) DTRACE_PROBE5(libwsfj, name, worker, detail, a, b, c)
#else
#define WSFJ_PROBE(name, worker, detail, a, b, c) ((void)0)
#endif

#define WSFJ_EVENT_NUMBER(name, recorded, counted, drawn, text) WSFJ_EVENT_##name,
enum wsfj_event { WSFJ_EVENTS(WSFJ_EVENT_NUMBER) WSFJ_EVENT_COUNT };
#undef WSFJ_EVENT_NUMBER

#define WSFJ_EVENT_RECORDED(name, recorded, counted, drawn, text) WSFJ_EVENT_IS_RECORDED_##name = recorded,
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

/* Counts an event, and shows it to a trace and to probes. `w`: the worker that the calling thread serves. */
#define WSFJ_EVENT(w, name, detail, a, b, c)                                                                           \
    do {                                                                                                               \
        WSFJ_COUNT(w, name);                                                                                           \
        WSFJ_SHOW(w, name, detail, a, b, c);                                                                           \
    } while (0)

/* The one half alone, and the other. */
#define WSFJ_COUNT(w, name) count_one(&(w)->log.count[WSFJ_EVENT_##name])

#define WSFJ_SHOW(w, name, detail, a, b, c)                                                                            \
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
        if (WSFJ_EVENT_IS_RECORDED_##name && WSFJ_UNLIKELY(wsfj_events != NULL))                                       \
            wsfj_hooks.trace_put_shared(wsfj_events, WSFJ_EVENT_##name, detail, a, b, c);                              \
    } while (0)

/* `w` may be NULL: the calling thread serves no worker. */
#define WSFJ_EVENT_OF(w, name, detail, a, b, c)                                                                        \
    do {                                                                                                               \
        struct wsfj_worker *wsfj_server = (w);                                                                         \
                                                                                                                       \
        if (wsfj_server)                                                                                               \
            WSFJ_EVENT(wsfj_server, name, detail, a, b, c);                                                            \
        else                                                                                                           \
            WSFJ_FOREIGN(name, detail, a, b, c);                                                                       \
    } while (0)

#endif
