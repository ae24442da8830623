/* SPDX-License-Identifier: MIT */
#include "idle/wake_choice.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "worker/awake.h"
#include "worker/worker.h"
#include "worker/workers.h"

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

/* The sleeper that has slept for the shortest time, of the first few that have been looked at. Few: most workers may sleep,
 * and wakers that compare all of them choose the same one, which only one of them gets. */
struct latest {
    struct wsfj_worker *worker; /* NULL: none so far */
    uint64_t since;
    unsigned left; /* how many more to look at */
};

/* Looks at the sleepers in from..to - 1 that are not in the awake set. */
static inline void look(struct latest *latest, unsigned from, unsigned to)
{
    for (unsigned first = wsfj_bits_first(from); from < to && first < to; first += WSFJ_BITS) {
        for (uint64_t outside = wsfj_awake_outside(first, from, to); outside; outside &= outside - 1) {
            struct wsfj_worker *w = &wsfj_workers[wsfj_awake_lowest(first, outside)];
            uint64_t since;

            if (!asleep(w))
                continue;
            since = load_relaxed(&w->asleep_since);
            if (!latest->worker || since > latest->since) {
                latest->worker = w;
                latest->since = since;
            }
            if (--latest->left == 0)
                return;
        }
    }
}

/* A sleeper nearest to `self`, other than itself, that is not in the awake set. NULL if there is none. */
static struct wsfj_worker *nearest(const struct wsfj_worker *self)
{
    const struct wsfj_victims *v = &self->victims;

    for (unsigned tiers = v->tiers; tiers; tiers &= tiers - 1) {
        const struct wsfj_victim_range *nearer = &v->range[__builtin_ctz(tiers)], *all = nearer + 1;
        struct latest latest = {.left = wsfj_policy.wake_looks};

        look(&latest, nearer->high, all->high);
        if (latest.left)
            look(&latest, all->low, nearer->low);
        if (latest.worker)
            return latest.worker;
    }
    return NULL;
}

struct wsfj_worker *WSFJ_POLICY_FUNCTION(wsfj_wake_choice)(const struct wsfj_worker *self)
{
    struct wsfj_worker *w;

    if (self && asleep(self))
        return &wsfj_workers[self->id]; /* cheapest: most often its thread is the caller, and awake */
    if (!self)
        self = wsfj_worker_here();
    w = nearest(self ? self : &wsfj_workers[0]);
    return w ? w : any(); /* a sleeper with tasks is in the set */
}
