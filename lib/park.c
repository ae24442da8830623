/* SPDX-License-Identifier: MIT */
#include "park.h"

#include "atomic.h"
#include "chaos.h"
#include "debug.h"
#include "deque.h"
#include "dispatch.h"
#include "fence.h"
#include "inject.h"
#include "mishap.h"
#include "team.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

static void futex_wait(uint32_t *word, uint32_t value, const struct timespec *timeout)
{
    if (!wsfj_mishap(WSFJ_AT_FUTEX))
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void wsfj_park_start(unsigned threads)
{
    store_seq(&state, threads * SEARCHING);
}

void wsfj_park_missing(unsigned threads)
{
    add_seq(&state, (uint64_t)0 - threads * SEARCHING);
}

void wsfj_park_search(void)
{
    add_seq(&state, SEARCHING);
}

/* Changes the park word of some worker, the first from `start` on, from `from` to `to`. There is one: the caller holds a
 * claim (or returns NULL). */
static struct wsfj_worker *switch_one(unsigned start, uint32_t from, uint32_t to)
{
    unsigned n = wsfj_num_workers;

    for (unsigned i = 0; i < n; i++) {
        struct wsfj_worker *w = &wsfj_workers[(start + i) % n];
        uint32_t expected = from;

        if (load_relaxed(&w->park) == from && cas_seq(&w->park, &expected, to))
            return w;
    }
    return NULL;
}

/* Takes one sleeper out of the count, turning it into a searcher if `wake`. False if there is none to take. */
static bool claim(bool wake, bool even_if_searching)
{
    uint64_t s = load_seq(&state);

    do {
        if (sleeping(s) == 0 || (!even_if_searching && searching(s) > 0))
            return false;
    } while (!cas_seq(&state, &s, s - SLEEPING + (wake ? SEARCHING : 0)));
    return true;
}

/* Wakes the sleeper that goes with a claim. There is one: a worker says ASLEEP before it is counted (PARK-4). */
static void wake_claimed(struct wsfj_worker *self)
{
    const struct wsfj_worker *here = self ? self : wsfj_team_here();
    unsigned behind = here ? here->id + 1 : 0; /* not on the caller's own processor, if possible */
    struct wsfj_worker *w;

    wsfj_chaos();
    while (!(w = switch_one(behind, WSFJ_PARK_ASLEEP, WSFJ_PARK_AWAKE))) {
        if (wsfj_worker_stopping())
            return; /* everybody has been woken, without regard to claims */
    }
    futex_wake(&w->park);
    if (self)
        count_one(&self->stats.wakes);
}

void wsfj_park_notify(struct wsfj_worker *self)
{
    wsfj_chaos();
    if (claim(true, false))
        wake_claimed(self);
}

void wsfj_park_found(struct wsfj_worker *self)
{
    uint64_t before = add_seq(&state, (uint64_t)0 - SEARCHING);

    if (searching(before) == 1 && sleeping(before) > 0)
        wsfj_park_notify(self);
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

        if (s && wsfj_deque_has_work(s))
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

    if (!claim(true, true))
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

        futex_wait(&self->park, park, blind ? &nap : NULL);
        if (blind && load_acquire(&self->park) == WSFJ_PARK_ASLEEP && flag_and_scan())
            cancel(self);
    }
}

void wsfj_park_sleep(struct wsfj_worker *self)
{
    store_seq(&self->park, WSFJ_PARK_ASLEEP);
    wsfj_chaos();

    uint64_t before = add_seq(&state, SLEEPING - SEARCHING);

    if (wsfj_worker_stopping())
        store_seq(&self->park, WSFJ_PARK_AWAKE); /* we may have said ASLEEP after everybody was woken */
    else if (searching(before) == 1 && flag_and_scan())
        cancel(self);
    /* Acquire: a guest may have come and gone, and the worker's cache with it. */
    if (load_acquire(&self->park) != WSFJ_PARK_AWAKE) {
        count_one(&self->stats.parks);
        sleep_on(self);
    }
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

bool wsfj_park_searches(const struct wsfj_worker *w)
{
    return load_relaxed(&w->park) == WSFJ_PARK_AWAKE && !load_relaxed(&w->stack);
}

struct wsfj_worker *wsfj_park_enter_guest(void)
{
    const struct wsfj_worker *here = wsfj_team_here();
    unsigned start = here ? here->id : 0;
    struct wsfj_worker *w = switch_one(start, WSFJ_PARK_EMPTY, WSFJ_PARK_GUEST);

    if (w || !claim(false, true))
        return w;
    wsfj_chaos();
    while (!(w = switch_one(start, WSFJ_PARK_ASLEEP, WSFJ_PARK_GUEST)))
        ;
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
    store_seq(&w->park, WSFJ_PARK_ASLEEP);
    wsfj_chaos();

    /* The place sleeps now: as the last searcher would, see that nothing is left lying. */
    if (searching(add_seq(&state, SLEEPING)) == 0 && flag_and_scan())
        wsfj_park_notify(NULL);
    else if (!wsfj_heavy_works() && anything_runs())
        futex_wake(&w->park); /* its thread begins to nap */
}

void wsfj_park_wake_all(void)
{
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_worker *w = &wsfj_workers[i];

        store_seq(&w->park, WSFJ_PARK_AWAKE);
        futex_wake(&w->park);
    }
}
