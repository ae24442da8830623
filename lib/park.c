/* SPDX-License-Identifier: MIT */
#include "park.h"

#include "arch.h"
#include "atomic.h"
#include "census.h"
#include "chaos.h"
#include "deque.h"
#include "fence.h"
#include "futex.h"
#include "look.h"
#include "phase.h"
#include "poll.h"
#include "sleeper.h"

/* Wakes the sleeper that goes with a claim. There is one: a worker says ASLEEP before it is counted (PARK-4). `near`: the
 * worker it should be near to, or NULL. */
static struct wsfj_worker *wake_claimed(const struct wsfj_worker *near)
{
    wsfj_chaos();
    for (;;) {
        struct wsfj_worker *w = wsfj_sleeper_pick(near);
        uint32_t asleep = WSFJ_PARK_ASLEEP;

        if (w && cas_seq(&w->park, &asleep, WSFJ_PARK_AWAKE)) {
            wsfj_futex_wake(&w->park);
            return w;
        }
        if (wsfj_worker_stopping())
            return NULL; /* everybody has been woken, without regard to claims */
    }
}

static void wake_one(struct wsfj_worker *self)
{
    const struct wsfj_worker *woken = wake_claimed(self);

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
    if (wsfj_census_claim_searcher(1))
        wake_one(self);
}

void wsfj_park_found(struct wsfj_worker *self)
{
    struct wsfj_census left = wsfj_census_remove_searchers(1);

    /* At least if nobody else searches; more of us wake one each, so that many workers are awake soon. */
    if (left.sleeping > 0 && wsfj_census_claim_searcher(wsfj_census_most_searching(left, 0)))
        wake_one(self);
}

/* A sleeper has seen work: it goes on searching, unless somebody is waking it already. */
static void cancel(struct wsfj_worker *self)
{
    uint32_t asleep = WSFJ_PARK_ASLEEP;

    if (!wsfj_census_claim_searcher(UINT32_MAX))
        return;
    /* We hold a claim on some sleeper. If it is not ourselves - a waker or a guest was faster - it is another one. */
    if (!cas_seq(&self->park, &asleep, WSFJ_PARK_AWAKE))
        (void)wake_claimed(self); /* not written down: our log may be a guest's */
}

void wsfj_park_sleep_on(struct wsfj_worker *self)
{
    const struct timespec nap = {0, WSFJ_LOOK_BLIND_NS};
    uint32_t park;

    while ((park = load_acquire(&self->park)) != WSFJ_PARK_AWAKE) {
        bool blind = !wsfj_heavy_works() && park == WSFJ_PARK_ASLEEP && wsfj_look_anything_runs();

        wsfj_futex_wait(&self->park, park, blind ? &nap : NULL);
        if (blind && load_acquire(&self->park) == WSFJ_PARK_ASLEEP && wsfj_look())
            cancel(self);
    }
}

void wsfj_park_sleep(struct wsfj_worker *self, bool was_searching)
{
    WSFJ_RECORD(self, park, 0, 0, 0, 0); /* from ASLEEP on the log may be a guest's */
    store_relaxed(&self->asleep_since, wsfj_now()); /* a hint for wakers; ordered by the next store */
    store_seq(&self->park, WSFJ_PARK_ASLEEP); /* PARK-4: before it is counted */
    wsfj_chaos();

    struct wsfj_census left = wsfj_census_fall_asleep(was_searching);

    if (wsfj_worker_stopping())
        store_seq(&self->park, WSFJ_PARK_AWAKE); /* we may have said ASLEEP after everybody was woken */
    else if (wsfj_phase_on() || (left.searching == 0 && (wsfj_look() || wsfj_poll()))) /* PARK-2, PARK-6 */
        cancel(self);
    /* Acquire: a guest may have come and gone, and the worker's cache with it. */
    if (load_acquire(&self->park) != WSFJ_PARK_AWAKE) {
        WSFJ_COUNT(self, park);
        wsfj_park_sleep_on(self);
    }
    WSFJ_EVENT(self, unpark, 0, 0, 0, 0);
}

bool wsfj_park_search(void)
{
    return wsfj_census_begin_search(wsfj_phase_hot);
}

void wsfj_park_rouse(void)
{
    while (wsfj_census_claim_searcher(UINT32_MAX))
        wake_one(NULL);
}

void wsfj_park_carry_over(struct wsfj_stack *stack)
{
    wsfj_chaos();
    /* PARK-3: the stack is published (store_seq in worker.c) before this load; the last searcher counts itself asleep
     * before it collects the published stacks. One of the two lowers the limit. */
    struct wsfj_census now = wsfj_census();

    if (now.searching > 0 || now.sleeping == 0)
        return;
    store_release(&stack->head.limit, NULL);
    /* A strand that waited for a group or has yielded brings children along that nobody could see meanwhile. */
    if (wsfj_deque_has_work(stack))
        wsfj_park_notify(load_relaxed(&stack->worker));
}

bool wsfj_park_searches(const struct wsfj_worker *w)
{
    return load_relaxed(&w->park) == WSFJ_PARK_AWAKE && !load_relaxed(&w->stack);
}

void wsfj_park_wake_all(void)
{
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_worker *w = &wsfj_workers[i];

        store_seq(&w->park, WSFJ_PARK_AWAKE);
        wsfj_futex_wake(&w->park);
    }
}
