/* SPDX-License-Identifier: MIT */
/* A thread has put something into a queue: who is told. */
#ifndef WSFJ_IDLE_QUEUED_H
#define WSFJ_IDLE_QUEUED_H

#include "base/atomic.h"
#include "base/policy.h"
#include "idle/idle_counts.h"
#include "idle/preempt.h"

struct wsfj_worker;

/* The caller has put something into a queue, where all threads see it: wakes a sleeper, or the preempter if no worker
 * is idle. `self` as for wsfj_wake_notify(). */
void wsfj_queued(struct wsfj_worker *self);

/* Whether wsfj_queued() would do anything. Inlined where tasks are submitted: mostly it would not. */
static inline bool wsfj_queued_must_tell(void)
{
    /* PREEMPT-2: before the counts are read, as in wsfj_queued(). INSPECTS need not be read again: the preempter looks at
     * the queues before it sleeps, and the task is there. */
    uint32_t state = load_seq(&wsfj_preempt_state);
    uint64_t idle = load_seq(&wsfj_idle_state); /* PARK-5 */
    struct wsfj_idle_counts now = wsfj_idle_counts_of(idle);

    if (idle == 0) /* no worker searches, none sleeps */
        return state == WSFJ_PREEMPT_QUIET || state == WSFJ_PREEMPT_READY;
    return state == WSFJ_PREEMPT_QUIET || wsfj_idle_counts_may_wake(now, wsfj_policy.wake_below) ||
           (state == WSFJ_PREEMPT_READY && wsfj_idle_counts_none(now));
}

#endif
