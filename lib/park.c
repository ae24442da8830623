/* SPDX-License-Identifier: MIT */
#include "park.h"

#include "arch.h"
#include "atomic.h"
#include "chaos.h"
#include "debug.h"
#include "deque.h"
#include "dispatch.h"
#include "fence.h"
#include "futex.h"
#include "inject.h"
#include "phase.h"
#include "poll.h"
#include "sleeper.h"
#include "supply.h"
#include "team.h"

#include <time.h>

/* Without the heavy barrier a sleeper cannot be sure that it saw every spawn: the last one looks again this often
 * while tasks run. */
#define BLIND_NAP_NS 1000000

#define SEARCHING ((uint64_t)1)
#define SLEEPING ((uint64_t)1 << 32)

/* Low half: workers that search. High half: workers asleep whom anybody may claim. */
static __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t state;

static uint32_t searching(uint64_t s)
{
    return (uint32_t)s;
}

static uint32_t sleeping(uint64_t s)
{
    return (uint32_t)(s >> 32);
}

struct wsfj_park_counts wsfj_park_counts(void)
{
    uint64_t s = load_relaxed(&state);

    return (struct wsfj_park_counts){searching(s), sleeping(s)};
}

void wsfj_park_start(unsigned threads)
{
    store_seq(&state, threads * SEARCHING);
}

void wsfj_park_missing(unsigned threads)
{
    add_seq(&state, (uint64_t)0 - threads * SEARCHING);
}

/* PARK-6: so many may search while others work. Each look costs one of those a cache miss. */
static uint32_t most_searching(uint32_t busy)
{
    return busy < 4 ? 1 : busy / 2;
}

static uint32_t busy(uint64_t s)
{
    uint32_t others = searching(s) + sleeping(s);

    return others < wsfj_num_workers ? wsfj_num_workers - others : 0;
}

/* A place for a guest, the first from `start` on whose park word is `from`; NULL if there is none. */
static struct wsfj_worker *take_place(unsigned start, uint32_t from)
{
    unsigned n = wsfj_num_workers;

    for (unsigned i = 0; i < n; i++) {
        struct wsfj_worker *w = &wsfj_workers[(start + i) % n];
        uint32_t expected = from;

        if (from == WSFJ_PARK_EMPTY && !wsfj_supply_allows(w->id))
            continue;
        if (load_relaxed(&w->park) == from && cas_seq(&w->park, &expected, WSFJ_PARK_GUEST))
            return w;
    }
    return NULL;
}

/* Takes one sleeper out of the count, which becomes a searcher, unless `most` search already. False if there is none to
 * take. */
static bool claim_searcher(uint32_t most)
{
    uint64_t s = load_seq(&state);

    do {
        if (sleeping(s) == 0 || searching(s) >= most)
            return false;
    } while (!cas_seq(&state, &s, s - SLEEPING + SEARCHING));
    return true;
}

/* The same for a guest, who is no searcher. */
static bool claim_place(void)
{
    uint64_t s = load_seq(&state);

    do {
        if (sleeping(s) == 0)
            return false;
    } while (!cas_seq(&state, &s, s - SLEEPING));
    return true;
}

/* Wakes the sleeper that goes with a claim. There is one: a worker says ASLEEP before it is counted (PARK-4). */
static void wake_claimed(struct wsfj_worker *self)
{
    wsfj_chaos();
    for (;;) {
        struct wsfj_worker *w = wsfj_sleeper_pick(self);
        uint32_t asleep = WSFJ_PARK_ASLEEP;

        if (w && cas_seq(&w->park, &asleep, WSFJ_PARK_AWAKE)) {
            wsfj_futex_wake(&w->park);
            break;
        }
        if (wsfj_worker_stopping())
            return; /* everybody has been woken, without regard to claims */
    }
    if (self)
        count_one(&self->stats.wakes);
}

void wsfj_park_notify(struct wsfj_worker *self)
{
    wsfj_chaos();
    if (claim_searcher(1))
        wake_claimed(self);
}

void wsfj_park_found(struct wsfj_worker *self)
{
    uint64_t s = add_seq(&state, (uint64_t)0 - SEARCHING) - SEARCHING;

    /* At least if nobody else searches; more of us wake one each, so that many workers are awake soon. */
    if (sleeping(s) > 0 && claim_searcher(most_searching(busy(s))))
        wake_claimed(self);
}

/* PARK-2: asks every running stack to speak up at its next spawn, then looks whether one has spawned already. */
static bool flag_and_scan(void)
{
    bool running = false;

    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_stack *s = load_seq(&wsfj_workers[i].stack);

        if (s) {
            store_release(&s->head.limit, NULL);
            running = true;
        }
    }
    wsfj_chaos();
    /* Our store of the limit before our load of the tail; the owner's store of the tail before its load of the limit
     * (PARK-1). Without it a spawn and a last look can miss each other. */
    if (running && wsfj_heavy_works() && !wsfj_heavy_barrier())
        nanosleep(&(struct timespec){0, BLIND_NAP_NS}, NULL); /* refused this once: by then the store is there */
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_stack *s = load_seq(&wsfj_workers[i].stack);
        struct wsfj_stack *lent = load_seq(&wsfj_workers[i].lent); /* BLOCK-2: after the other one */

        if ((s && wsfj_deque_has_work(s)) || (lent && wsfj_deque_has_work(lent)))
            return true;
    }
    return wsfj_inject_pending() || wsfj_dispatch_pending(); /* PARK-5 */
}

static bool anything_runs(void)
{
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        if (load_seq(&wsfj_workers[i].stack))
            return true;
    }
    return false;
}

/* A sleeper has seen work: it goes on searching, unless somebody is waking it already. */
static void cancel(struct wsfj_worker *self)
{
    uint32_t asleep = WSFJ_PARK_ASLEEP;

    if (!claim_searcher(UINT32_MAX))
        return;
    /* We hold a claim on some sleeper. If it is not ourselves - a waker or a guest was faster - it is another one. */
    if (!cas_seq(&self->park, &asleep, WSFJ_PARK_AWAKE))
        wake_claimed(self);
}

static void sleep_on(struct wsfj_worker *self)
{
    const struct timespec nap = {0, BLIND_NAP_NS};
    uint32_t park;

    while ((park = load_acquire(&self->park)) != WSFJ_PARK_AWAKE) {
        bool blind = !wsfj_heavy_works() && park == WSFJ_PARK_ASLEEP && anything_runs();

        wsfj_futex_wait(&self->park, park, blind ? &nap : NULL);
        if (blind && load_acquire(&self->park) == WSFJ_PARK_ASLEEP && flag_and_scan())
            cancel(self);
    }
}

void wsfj_park_sleep(struct wsfj_worker *self, bool was_searching)
{
    uint64_t was = was_searching ? SEARCHING : 0;

    store_relaxed(&self->asleep_since, wsfj_now()); /* a hint for wakers; ordered by the next store */
    store_seq(&self->park, WSFJ_PARK_ASLEEP);
    wsfj_chaos();

    uint64_t before = add_seq(&state, SLEEPING - was);

    if (wsfj_worker_stopping())
        store_seq(&self->park, WSFJ_PARK_AWAKE); /* we may have said ASLEEP after everybody was woken */
    else if (wsfj_phase_on() || (searching(before - was) == 0 && (flag_and_scan() || wsfj_poll())))
        cancel(self);
    /* Acquire: a guest may have come and gone, and the worker's cache with it. */
    if (load_acquire(&self->park) != WSFJ_PARK_AWAKE) {
        count_one(&self->stats.parks);
        sleep_on(self);
    }
}

bool wsfj_park_search(void)
{
    uint64_t s = load_seq(&state);

    while (wsfj_phase_hot() || searching(s) < most_searching(busy(s) - 1)) {
        if (cas_seq(&state, &s, s + SEARCHING))
            return true;
    }
    return false;
}

void wsfj_park_add_searcher(void)
{
    add_seq(&state, SEARCHING);
}

void wsfj_park_replace_guest(struct wsfj_worker *w)
{
    wsfj_park_add_searcher();
    store_seq(&w->park, WSFJ_PARK_AWAKE);
    wsfj_futex_wake(&w->park);
}

void wsfj_park_rouse(void)
{
    while (claim_searcher(UINT32_MAX))
        wake_claimed(NULL);
}

void wsfj_park_carry_over(struct wsfj_stack *stack)
{
    wsfj_chaos();
    /* PARK-3: the stack is published (store_seq in worker.c) before this load; the last searcher counts itself asleep
     * before it collects the published stacks. One of the two lowers the limit. */
    uint64_t s = load_seq(&state);

    if (searching(s) > 0 || sleeping(s) == 0)
        return;
    store_release(&stack->head.limit, NULL);
    /* A strand that waited for a group or has yielded brings children along that nobody could see meanwhile. */
    if (wsfj_deque_has_work(stack))
        wsfj_park_notify(load_relaxed(&stack->worker));
}

/* PARK-7: one searcher less, and no sleeper more. The last one looks once more, as it would before it sleeps; what it
 * finds is for a sleeper. */
static void resign(struct wsfj_worker *self)
{
    uint64_t before = add_seq(&state, (uint64_t)0 - SEARCHING);

    if (searching(before) == 1 && sleeping(before) > 0 && flag_and_scan())
        wsfj_park_notify(self);
}

/* Wakes the worker's thread if it is retired. Whoever is awake is counted: before, as with a claim. */
static void recall(struct wsfj_worker *w)
{
    uint32_t retired = WSFJ_PARK_RETIRED;

    if (load_seq(&w->park) != WSFJ_PARK_RETIRED)
        return;
    add_seq(&state, SEARCHING);
    wsfj_chaos();
    if (cas_seq(&w->park, &retired, WSFJ_PARK_AWAKE))
        wsfj_futex_wake(&w->park);
    else
        resign(NULL); /* somebody else has done it */
}

/* PARK-7: the place, which the caller holds, is surplus. Says so before it looks whether that has changed; the other one
 * changes it before it looks for those who have said so (supply.c). */
static void retire_place(struct wsfj_worker *w)
{
    store_seq(&w->park, WSFJ_PARK_RETIRED);
    wsfj_chaos();
    if (wsfj_supply_allows(w->id))
        recall(w);
}

void wsfj_park_retire(struct wsfj_worker *self)
{
    retire_place(self);
    resign(self);
    if (wsfj_worker_stopping())
        store_seq(&self->park, WSFJ_PARK_AWAKE); /* we may have said RETIRED after everybody was woken */
    if (load_acquire(&self->park) != WSFJ_PARK_AWAKE) {
        count_one(&self->stats.parks);
        sleep_on(self);
    }
}

void wsfj_park_recall(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        recall(&wsfj_workers[i]);
    wsfj_inject_offer(); /* places without a thread may be among them */
}

bool wsfj_park_searches(const struct wsfj_worker *w)
{
    return load_relaxed(&w->park) == WSFJ_PARK_AWAKE && !load_relaxed(&w->stack);
}

struct wsfj_worker *wsfj_park_enter_guest(void)
{
    const struct wsfj_worker *here = wsfj_team_here();
    unsigned start = here ? here->id : 0;
    struct wsfj_worker *w = take_place(start, WSFJ_PARK_EMPTY);

    while (!w && claim_place()) {
        wsfj_chaos();
        while (!(w = take_place(start, WSFJ_PARK_ASLEEP)))
            ;
        if (!wsfj_supply_allows(w->id)) {
            retire_place(w); /* fell asleep before it was surplus */
            w = NULL;
        }
    }
    return w;
}

void wsfj_park_leave_guest(struct wsfj_worker *w)
{
    if (!w->has_thread) {
        store_seq(&w->park, WSFJ_PARK_EMPTY);
        wsfj_inject_offer();
        wsfj_park_notify(NULL);
        return;
    }
    if (!wsfj_supply_allows(w->id)) {
        retire_place(w);
        return;
    }
    store_seq(&w->park, WSFJ_PARK_ASLEEP);
    wsfj_chaos();

    /* The place sleeps now: as the last searcher would, see that nothing is left lying. */
    if (searching(add_seq(&state, SLEEPING)) == 0 && flag_and_scan())
        wsfj_park_notify(NULL);
    else if (!wsfj_heavy_works() && anything_runs())
        wsfj_futex_wake(&w->park); /* its thread begins to nap */
}

void wsfj_park_wake_all(void)
{
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_worker *w = &wsfj_workers[i];

        store_seq(&w->park, WSFJ_PARK_AWAKE);
        wsfj_futex_wake(&w->park);
    }
}
