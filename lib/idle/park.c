/* SPDX-License-Identifier: MIT */
#include "idle/park.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/fence.h"
#include "base/futex.h"
#include "base/policy.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/phase.h"
#include "idle/poll.h"
#include "idle/preempt.h"
#include "idle/recheck.h"
#include "idle/retire.h"
#include "idle/waiting.h"
#include "idle/wake_choice.h"
#include "queue/root.h"
#include "task/deque.h"
#include "task/event.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/awake.h"
#include "worker/stopping.h"
#include "worker/use.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <sched.h>

/* PARK-4: wakes a sleeper, near the worker `near` if that is not NULL, and returns it; NULL if it sees none. The waker
 * counts the sleeper out before it wakes it (PARK-9), because it may lose its processor to it. Other threads that see one
 * sleeper too few meanwhile see the searcher that the caller has counted. */
static struct wsfj_worker *take_sleeper(const struct wsfj_worker *near)
{
    struct wsfj_worker *w;

    while ((w = wsfj_wake_choice(near))) {
        uint32_t asleep = WSFJ_PARK_ASLEEP;

        (void)wsfj_idle_counts_take_sleeper();
        if (cas_seq(&w->park, &asleep, WSFJ_PARK_AWAKE)) {
            wsfj_futex_wake(&w->park);
            return w;
        }
        (void)wsfj_idle_counts_fall_asleep(false); /* another thread was faster */
    }
    return NULL;
}

/* Makes a sleeper a searcher and returns it; NULL if `most` workers search already or none sleeps. */
static struct wsfj_worker *wake_one(const struct wsfj_worker *near, unsigned most)
{
    while (wsfj_idle_counts_claim_searcher(most)) { /* PARK-4: the searcher is counted before its thread may run */
        struct wsfj_idle_counts now;
        struct wsfj_worker *w;

        wsfj_chaos();
        w = take_sleeper(near);
        if (w)
            return w;
        /* Other wakers or guests were faster. While the searcher was counted, a thread that has made work known, or a
         * worker that has fallen asleep, may have relied on it (PARK-4). */
        wsfj_chaos();
        now = wsfj_idle_counts_remove_searcher();
        wsfj_preempt_fewer_idle(now);
        if (now.searching > 0 || !wsfj_wake_choice(near))
            return NULL;
    }
    return NULL;
}

static void log_wake(struct wsfj_worker *self, const struct wsfj_worker *woken)
{
    if (!woken)
        return;
    if (self)
        WSFJ_EVENT(self, wake, 0, woken->id, 0, 0);
    else
        WSFJ_FOREIGN(wake, 0, woken->id, 0, 0);
}

void wsfj_park_notify(struct wsfj_worker *self)
{
    wsfj_chaos();
    log_wake(self, wake_one(self, wsfj_policy.wake_below));
}

/* PARK-9: whether a searcher that has found work may leave the other workers asleep, since there is nothing else to do: all
 * of them sleep, so no stack runs, and no queue has a task whose submitter has relied on this searcher. */
static bool has_the_only_work(struct wsfj_idle_counts now)
{
    return now.searching == 0 && now.sleeping == (int64_t)wsfj_num_workers - 1 && wsfj_suspended_count() == 0 &&
           !wsfj_root_pending() && !wsfj_waiting_any();
}

void wsfj_park_found(struct wsfj_worker *self)
{
    struct wsfj_idle_counts now = wsfj_idle_counts_remove_searcher();
    const struct wsfj_worker *woken;
    int64_t n = 0;

    wsfj_preempt_fewer_idle(now);
    if (has_the_only_work(now))
        return;
    /* Even if others search, as long as fewer search than may: so many workers are awake soon. No more than sleep now: a
     * worker that is woken may sleep again at once. */
    do {
        woken = wake_one(self, wsfj_idle_counts_most_searching(now, 0));
        log_wake(self, woken);
    } while (woken && ++n < wsfj_policy.wake_found && n < now.sleeping);
}

void wsfj_park_recheck(void)
{
    if (wsfj_idle_counts().searching == 0 && wsfj_recheck())
        wsfj_park_notify(NULL);
}

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

void wsfj_park_sleep_on(struct wsfj_worker *self)
{
    const struct timespec nap = {0, wsfj_policy.recheck_blind_ns};
    uint32_t park;

    while ((park = load_acquire(&self->park)) != WSFJ_PARK_AWAKE) {
        bool blind = !wsfj_heavy_works() && park == WSFJ_PARK_ASLEEP && wsfj_recheck_anything_spawns();

        wsfj_futex_wait(&self->park, park, blind ? &nap : NULL);
        if (blind && load_acquire(&self->park) == WSFJ_PARK_ASLEEP && wsfj_recheck())
            (void)wake_one(self, 1);
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
    WSFJ_RECORD(self, park, !wsfj_cpu_limit_allows(self->id), 0, 0, 0); /* from ASLEEP on the log may be a guest's */
    store_relaxed(&self->asleep_since, wsfj_now()); /* a hint for wakers; ordered by the next store */
    (void)wsfj_awake_leave(self->victims.position, &self->detached.queue); /* PARK-11 */
    wsfj_park_lie_down(self, was_searching);
    /* The wake-up here, of this worker first, is not logged: the log may be a guest's now. */
    if (wsfj_stopping())
        store_seq(&self->park, WSFJ_PARK_AWAKE); /* ASLEEP may have come after wsfj_park_stop() */
    else if (wsfj_phase_on())
        wsfj_park_rouse();
    else if (wsfj_idle_counts().searching == 0 && (wsfj_recheck() || wsfj_poll())) /* PARK-2, PARK-6, PARK-7 */
        (void)wake_one(self, 1);
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
    return wsfj_idle_counts_begin_search(wsfj_phase_hot);
}

void wsfj_park_rouse(void)
{
    const struct wsfj_worker *w;

    /* Bounded by the number of workers: without a bound, workers that fall asleep again would keep this running for
     * ever. */
    for (unsigned i = 0; i < wsfj_num_workers && (w = wake_one(NULL, UINT32_MAX)); i++)
        log_wake(NULL, w);
}

void wsfj_park_carry_over(struct wsfj_stack *stack)
{
    wsfj_chaos();
    /* PARK-3: the stack is published (store_seq in serve.c) before this load; the last searcher counts itself asleep
     * before it collects the published stacks. One of the two lowers the limit. */
    struct wsfj_idle_counts now = wsfj_idle_counts();

    if (now.searching > 0 || now.sleeping <= 0)
        return;
    store_release(&stack->deque.wsfj_limit, NULL);
    /* A fiber that waited for a group or has yielded brings children along that were out of sight meanwhile. */
    if (wsfj_deque_has_work(stack))
        wsfj_park_notify(load_relaxed(&stack->worker));
}

void wsfj_park_stop(void)
{
    wsfj_stopping_set(true);
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_worker *w = &wsfj_workers[i];

        store_seq(&w->park, WSFJ_PARK_AWAKE);
        wsfj_futex_wake(&w->park);
    }
}
