/* SPDX-License-Identifier: MIT */
#include "idle/wake.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/policy.h"
#include "idle/idle_counts.h"
#include "idle/lookout.h"
#include "idle/preempt.h"
#include "idle/recheck.h"
#include "idle/waiting.h"
#include "idle/wake_choice.h"
#include "queue/root.h"
#include "task/deque.h"
#include "task/event.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/worker.h"
#include "worker/workers.h"

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
            wsfj_lookout_rouse(&w->park);
            return w;
        }
        (void)wsfj_idle_counts_fall_asleep(false); /* another thread was faster */
    }
    return NULL;
}

struct wsfj_worker *wsfj_wake_one(const struct wsfj_worker *near, unsigned most)
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

void wsfj_wake_notify(struct wsfj_worker *self)
{
    wsfj_chaos();
    log_wake(self, wsfj_wake_one(self, wsfj_policy.wake_below));
}

/* PARK-9: whether a searcher that has found work may leave the other workers asleep, since there is nothing else to do: all
 * of them sleep, so no stack runs, and no queue has a task whose submitter has relied on this searcher. */
static bool has_the_only_work(struct wsfj_idle_counts now)
{
    return now.searching == 0 && now.sleeping == (int64_t)wsfj_num_workers - 1 && wsfj_suspended_count() == 0 &&
           !wsfj_root_pending() && !wsfj_waiting_any();
}

void wsfj_wake_found(struct wsfj_worker *self)
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
        woken = wsfj_wake_one(self, wsfj_idle_counts_most_searching(now, 0));
        log_wake(self, woken);
    } while (woken && ++n < wsfj_policy.wake_found && n < now.sleeping);
}

void wsfj_wake_recheck(void)
{
    if (wsfj_idle_counts().searching == 0 && wsfj_recheck())
        wsfj_wake_notify(NULL);
}

void wsfj_wake_rouse(void)
{
    const struct wsfj_worker *w;

    /* Bounded by the number of workers: without a bound, workers that fall asleep again would keep this running for
     * ever. */
    for (unsigned i = 0; i < wsfj_num_workers && (w = wsfj_wake_one(NULL, UINT32_MAX)); i++)
        log_wake(NULL, w);
}

void wsfj_wake_carry_over(struct wsfj_stack *stack)
{
    wsfj_chaos();
    /* PARK-3: the stack is published (store_seq in fiber_run.h) before this load; the last searcher counts itself asleep
     * before it collects the published stacks. One of the two lowers the limit. */
    struct wsfj_idle_counts now = wsfj_idle_counts();

    if (now.searching > 0 || now.sleeping <= 0)
        return;
    store_release(&stack->deque.wsfj_limit, NULL);
    /* A fiber that waited for a group or has yielded brings children along that were out of sight meanwhile. */
    if (wsfj_deque_has_work(stack))
        wsfj_wake_notify(load_relaxed(&stack->worker));
}
