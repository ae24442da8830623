/* SPDX-License-Identifier: MIT */
/*
 * Preemption: a detached task, a root or a runnable fiber waits in a queue, while all workers run fork/join work, which
 * does not return to its worker's loop before it ends. Then a thread of the runtime, the preempter, inspects the
 * workers once a millisecond. It asks fibers that have run without a break since its last inspection to give up their
 * workers at their next sync, because a task may change its thread only at a sync. Otherwise the preempter sleeps. It
 * is made when it is first needed. Labels PREEMPT-n: doc/protocols.md. After sysmon in Go's scheduler
 * (runtime/proc.go).
 */
#ifndef WSFJ_IDLE_PREEMPT_H
#define WSFJ_IDLE_PREEMPT_H

#include "base/atomic.h"
#include "base/policy.h"
#include "config/settings.h"
#include "idle/idle_counts.h"

struct wsfj_stack;
struct wsfj_worker;

enum wsfj_preempt {
    WSFJ_PREEMPT_QUIET,    /* nothing has been queued lately */
    WSFJ_PREEMPT_READY,    /* something has been queued: the preempter begins as soon as no worker is idle */
    WSFJ_PREEMPT_INSPECTS, /* the preempter inspects the workers at intervals */
    WSFJ_PREEMPT_STOPS,    /* the preempter ends */
    WSFJ_PREEMPT_BROKEN    /* the preempter could not be started */
};
/* A futex, on which the preempter sleeps unless it inspects. Only preempt.c writes it. */
extern WSFJ_HIDDEN uint32_t wsfj_preempt_state;

void wsfj_preempt_none_idle(void); /* the counts show that no worker is idle */
void wsfj_preempt_polls(void);     /* there is a ws_config.poll, and a worker runs something */

/* The caller has put something into a queue, where all threads see it: wakes a sleeper, or the preempter if no worker
 * is idle. `self` as for wsfj_park_notify(). */
void wsfj_preempt_queued(struct wsfj_worker *self);

/* Whether wsfj_preempt_queued() would do anything. Inlined where tasks are submitted: mostly it would not. */
static inline bool wsfj_preempt_must_hear(void)
{
    /* PREEMPT-2: before the counts are read, as there. INSPECTS need not be read again: the preempter looks at the queues
     * before it sleeps, and the task is there. */
    uint32_t state = load_seq(&wsfj_preempt_state);
    uint64_t idle = load_seq(&wsfj_idle_state); /* PARK-5 */
    struct wsfj_idle_counts now = wsfj_idle_counts_of(idle);

    if (idle == 0) /* no worker searches, none sleeps */
        return state == WSFJ_PREEMPT_QUIET || state == WSFJ_PREEMPT_READY;
    return state == WSFJ_PREEMPT_QUIET || wsfj_idle_counts_may_wake(now, wsfj_policy.wake_below) ||
           (state == WSFJ_PREEMPT_READY && wsfj_idle_counts_none(now));
}

/* PREEMPT-2: called after each change of the counts that makes one idle worker fewer. `now`: the counts after the
 * change. */
static inline void wsfj_preempt_fewer_idle(struct wsfj_idle_counts now)
{
    if (WSFJ_UNLIKELY(wsfj_idle_counts_none(now)))
        wsfj_preempt_none_idle();
}

/* PREEMPT-2: a searcher has moved tasks from one queue to another. For a moment they were in neither, so an inspection
 * may have missed them. Called while the worker is still counted as a searcher. */
void wsfj_preempt_moved(void);

/* A worker has published the stack that it runs: with ws_config.poll, wakes the preempter. */
static inline void wsfj_preempt_runs(void)
{
    if (WSFJ_UNLIKELY(wsfj_settings.poll != NULL))
        wsfj_preempt_polls();
}

/* The fiber gives up its worker to what waits, and goes on later, perhaps on another thread. */
void wsfj_preempt_give_way(struct wsfj_stack *own);

/* Before the first worker runs, and in the child of a fork: there is no thread. */
void wsfj_preempt_start(void);

/* After the last worker has ended: ends the thread, if there is one. */
void wsfj_preempt_stop(void);

#endif
