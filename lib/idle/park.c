/* SPDX-License-Identifier: MIT */
#include "idle/park.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/fence.h"
#include "base/futex.h"
#include "base/hooks.h"
#include "base/policy.h"
#include "idle/allowed.h"
#include "idle/idle_counts.h"
#include "idle/lookout.h"
#include "idle/outside.h"
#include "idle/phase.h"
#include "idle/source.h"
#include "idle/preempt.h"
#include "idle/recheck.h"
#include "idle/retire.h"
#include "idle/wake.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "task/event.h"
#include "task/stack.h"
#include "worker/awake.h"
#include "worker/stopping.h"
#include "worker/use.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <sched.h>

void wsfj_park_settle_down(struct wsfj_worker *w, struct wsfj_idle_counts now)
{
    /* A guest or a thread that retires the worker may have counted it out before: the counts may show now that no
     * worker is idle. */
    wsfj_preempt_fewer_idle(now);
    wsfj_chaos();
    (void)wsfj_retire_update(w); /* the caller rechecks in any case */
}

void wsfj_park_lie_down(struct wsfj_worker *w, bool was_searching)
{
    wsfj_park_settle_down(w, wsfj_park_fall_asleep(&w->park, was_searching)); /* PARK-4 */
}

/* The worker has found no stack for what waits, which is why it sleeps. Who gives back a stack tells nobody. A fiber needs
 * none, and a root none but its caller's. */
static bool needs_a_stack(const struct wsfj_worker *self)
{
    return load_relaxed(&self->no_stack) && !wsfj_global_queue_has_fibers() && !wsfj_root_pending();
}

/* Whether the worker has to look by itself from time to time. */
static bool may_miss_something(const struct wsfj_worker *self)
{
    return (!wsfj_heavy_works() && wsfj_recheck_anything_spawns()) || needs_a_stack(self);
}

/* A worker that needs a stack has told nobody of what is queued, because it would look again. A retired one does not: another
 * worker looks instead. */
static void hand_over(struct wsfj_worker *self)
{
    if (!load_relaxed(&self->no_stack))
        return;
    store_relaxed(&self->no_stack, (uint64_t)0);
    if (wsfj_recheck())
        (void)wsfj_wake_one(NULL, 1);
}

void wsfj_park_sleep_on(struct wsfj_worker *self)
{
    const struct timespec nap = {0, wsfj_policy.recheck_blind_ns};
    uint32_t park;

    while ((park = load_acquire(&self->park)) != WSFJ_PARK_AWAKE) {
        if (park == WSFJ_PARK_RETIRED)
            hand_over(self);
        bool naps = park == WSFJ_PARK_ASLEEP && may_miss_something(self);

        if (!wsfj_lookout_has_to() || !wsfj_outside_sleep(self, naps ? &nap : NULL))
            wsfj_futex_wait(&self->park, park, naps ? &nap : NULL);
        if (naps && load_acquire(&self->park) == WSFJ_PARK_ASLEEP && wsfj_recheck())
            (void)wsfj_wake_one(self, 1);
    }
    wsfj_awake_enter(self->victims.position); /* PARK-11: before the caller searches */
}

bool wsfj_park_begin(struct wsfj_worker *self)
{
    /* Reads nothing else: the start may still change the workers. Acquire: what the start has made (team.c). */
    while (load_acquire(&self->park) == WSFJ_PARK_NEW)
        wsfj_futex_wait(&self->park, WSFJ_PARK_NEW, NULL);
    return !wsfj_stopping();
}

void wsfj_park_sleep(struct wsfj_worker *self, bool was_searching)
{
    WSFJ_SHOW(self, park, !wsfj_allowed_to_run(self->id), 0, 0, 0); /* from ASLEEP on the log may be a guest's */
    store_relaxed(&self->asleep_since, wsfj_now());                 /* a hint for wakers; ordered by the next store */
    (void)wsfj_awake_leave(self->victims.position, &self->detached.queue); /* PARK-11 */
    wsfj_park_lie_down(self, was_searching);
    /* The wake-up here, of this worker first, is not logged: the log may be a guest's now. */
    if (wsfj_stopping())
        store_seq(&self->park, WSFJ_PARK_AWAKE); /* ASLEEP may have come after wsfj_park_stop() */
    else if (wsfj_phase_on())
        wsfj_wake_rouse();
    else if (wsfj_idle_counts().searching == 0 &&
             ((wsfj_recheck() && !needs_a_stack(self)) || wsfj_source_poll())) /* PARK-2, PARK-6, PARK-7 */
        (void)wsfj_wake_one(self, 1);
    if (WSFJ_UNLIKELY(load_seq(&wsfj_callers) == 0)) /* PARK-12: after the change of the counts */
        wsfj_hooks.callers_are_gone();
    /* Acquire: a guest may have come and gone, and the worker's cache with it. */
    if (load_acquire(&self->park) != WSFJ_PARK_AWAKE)
        WSFJ_COUNT(self, park);
    wsfj_park_sleep_on(self);
    WSFJ_EVENT(self, unpark, 0, 0, 0, 0);
}

bool wsfj_park_offer(struct wsfj_worker *self)
{
    uint32_t park = WSFJ_PARK_OFFERED;

    store_seq(&self->park, park); /* PARK-8: releases the slot, for the guest's compare-and-swap */
    sched_yield();
    wsfj_chaos();
    if (cas_seq(&self->park, &park, WSFJ_PARK_AWAKE))
        return false;
    wsfj_park_sleep_on(self); /* AWAKE by now: the guest has left and a waker was here, or the runtime stops */
    WSFJ_EVENT(self, unpark, 0, 0, 0, 0);
    return true;
}

bool wsfj_park_search(void)
{
    return wsfj_idle_counts_begin_search(wsfj_phase_hot); /* PARK-6 */
}

void wsfj_park_stop(void)
{
    wsfj_stopping_set(true);
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_worker *w = &wsfj_workers[i];

        store_seq(&w->park, WSFJ_PARK_AWAKE);
        wsfj_lookout_rouse(&w->park);
    }
}

void wsfj_park_lend(struct wsfj_worker *w)
{
    wsfj_idle_counts_add_searcher();
    store_seq(&w->park, WSFJ_PARK_AWAKE);
    wsfj_lookout_rouse(&w->park);
}
