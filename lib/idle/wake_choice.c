/* SPDX-License-Identifier: MIT */
#include "idle/wake_choice.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "core/team.h"
#include "core/worker.h"
#include "idle/park.h"

#include <string.h>

/* Relaxed: the caller has changed the counts, and these changes order the park words (PARK-4). */
static bool asleep(const struct wsfj_worker *w)
{
    return load_relaxed(&w->park) == WSFJ_PARK_ASLEEP;
}

/* The first sleeper from a random worker on. */
static struct wsfj_worker *any(void)
{
    static const uint64_t golden = 0x9e3779b97f4a7c15u;
    unsigned n = wsfj_num_workers, start = (unsigned)(((wsfj_now() * golden) >> 32) % n);

    for (unsigned i = 0; i < n; i++) {
        struct wsfj_worker *w = &wsfj_workers[(start + i) % n];

        if (asleep(w))
            return w;
    }
    return NULL;
}

/* Of the first few sleepers in near[all], without those in near[inside], the one that has slept for the shortest time.
 * Few: most workers may sleep, and wakers that compare all of them choose the same one, which only one of them gets. */
static struct wsfj_worker *latest(const unsigned *near, struct wsfj_victim_range inside, struct wsfj_victim_range all)
{
    unsigned left = wsfj_policy.wake_looks, at = inside.high;
    struct wsfj_worker *best = NULL;
    uint64_t best_since = 0;

    for (;; at++) {
        if (at == all.high)
            at = all.low;
        if (at == inside.low)
            return best;

        struct wsfj_worker *w = &wsfj_workers[near[at]];

        if (!asleep(w))
            continue;

        uint64_t since = load_relaxed(&w->asleep_since);

        if (!best || since > best_since) {
            best = w;
            best_since = since;
        }
        if (--left == 0)
            return best;
    }
}

/* A sleeper nearest to `self`, other than itself. */
static struct wsfj_worker *nearest(const struct wsfj_worker *self)
{
    const struct wsfj_victims *v = &self->victims;

    for (const struct wsfj_victim_range *range = v->range; range < v->range + WSFJ_TIER_COUNT; range++) {
        struct wsfj_worker *found;

        if (memcmp(range, range + 1, sizeof *range) == 0)
            continue; /* nobody is so far away */
        found = latest(v->order->near, range[0], range[1]);
        if (found)
            return found;
    }
    return NULL;
}

struct wsfj_worker *wsfj_wake_choice(const struct wsfj_worker *self)
{
    struct wsfj_worker *here, *w;

    if (self && asleep(self))
        return &wsfj_workers[self->id]; /* cheapest: its thread is the caller, and awake */
    if (wsfj_policy.wake == WSFJ_WAKE_RANDOM)
        return any();
    if (self)
        return nearest(self);
    here = wsfj_team_here();
    if (!here)
        here = &wsfj_workers[0];
    w = nearest(here);
    return w || !asleep(here) ? w : here;
}
