/* SPDX-License-Identifier: MIT */
#include "victim.h"

#include <stdlib.h>

const char *const wsfj_tier_names[WSFJ_TIER_COUNT] = {"core", "cache", "numa", "package", "machine"};

bool wsfj_victims_make(struct wsfj_victims *v, unsigned self, unsigned n, const unsigned char *tiers)
{
    unsigned at = 0;

    v->order = malloc((n ? n : 1) * sizeof *v->order);
    if (!v->order)
        return false;
    for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++) {
        /* Start behind ourselves: equal distances then do not all begin with worker 0. */
        for (unsigned i = 1; i < n; i++) {
            unsigned other = (self + i) % n;

            if (tiers[other] == tier)
                v->order[at++] = other;
        }
        v->tier_end[tier] = at;
    }
    v->count = at;
    v->last = at;
    return true;
}

void wsfj_victims_free(struct wsfj_victims *v)
{
    free(v->order);
    v->order = NULL;
    v->count = 0;
}

static enum wsfj_tier tier_of(const struct wsfj_victims *v, unsigned index)
{
    unsigned tier = 0;

    while (tier < WSFJ_TIER_COUNT - 1 && index >= v->tier_end[tier])
        tier++;
    return (enum wsfj_tier)tier;
}

bool wsfj_victims_visit(struct wsfj_victims *v, uint64_t *random,
                        bool (*try)(void *context, unsigned victim, enum wsfj_tier tier), void *context)
{
    unsigned start = 0;

    if (v->last < v->count && try(context, v->order[v->last], tier_of(v, v->last)))
        return true;
    for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; start = v->tier_end[tier++]) {
        unsigned n = v->tier_end[tier] - start;
        unsigned first = n > 1 ? (unsigned)(wsfj_random(random) % n) : 0;

        for (unsigned i = 0; i < n; i++) {
            unsigned index = start + (first + i) % n;

            if (try(context, v->order[index], (enum wsfj_tier)tier)) {
                v->last = index;
                return true;
            }
        }
    }
    v->last = v->count;
    return false;
}
