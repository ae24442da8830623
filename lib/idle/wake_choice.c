/* SPDX-License-Identifier: MIT */
#include "idle/wake_choice.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "core/team.h"
#include "core/worker.h"
#include "idle/park.h"

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

/* A sleeper nearest to `self`, other than itself. The walk ends early: most workers may sleep, and wakers that compare
 * all of them choose the same one, which only one of them gets. */
static struct wsfj_worker *nearest(const struct wsfj_worker *self)
{
    const struct wsfj_victims *v = &self->victims;
    bool sorted = wsfj_victims_tiered();
    struct wsfj_worker *best = NULL;
    unsigned best_tier = WSFJ_TIER_COUNT, left = wsfj_policy.wake_looks;
    uint64_t latest = 0;

    for (unsigned i = 0; i < v->count && (!sorted || (v->tier[i] <= best_tier && left)); i++) {
        struct wsfj_worker *w = &wsfj_workers[v->order[i]];

        if (!asleep(w) || v->tier[i] > best_tier)
            continue;

        uint64_t since = load_relaxed(&w->asleep_since);

        left--;
        if (v->tier[i] < best_tier || since > latest) {
            best = w;
            best_tier = v->tier[i];
            latest = since;
        }
    }
    return best;
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
