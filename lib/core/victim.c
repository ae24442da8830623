/* SPDX-License-Identifier: MIT */
#include "core/victim.h"

#include "base/alloc.h"

#include <stdlib.h>

/* Weights that no measurement has asked for, but whose being there does: without the first a thief that always finds
 * something where it was never looks elsewhere, without the second far work waits for as long as there is near work. */
#define NEAR_FORGETS 8u
#define NEAR_PASSES 4u

/* Workers lie in mappings of their own, where leak checkers do not look: when a task ends the process by exit(), this list
 * says that what they have is not lost. Start and stop only, one thread at a time. */
struct table {
    struct table *next, **link;
    unsigned order[];
};
static struct table *tables;

static void shuffle(struct wsfj_victims *v, uint64_t random)
{
    for (unsigned i = v->count; i > 1; i--) {
        unsigned j = (unsigned)(wsfj_random(&random) % i), id = v->order[j];
        unsigned char tier = v->tier[j];

        v->order[j] = v->order[i - 1];
        v->order[i - 1] = id;
        v->tier[j] = v->tier[i - 1];
        v->tier[i - 1] = tier;
    }
}

/* The others by tier. From ourselves on: equal distances then do not all begin with worker 0. */
static void by_tier(struct wsfj_victims *v, unsigned self, unsigned n, const unsigned char *tiers)
{
    for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++) {
        for (unsigned i = 1; i < n; i++) {
            unsigned other = (self + i) % n;

            if (tiers[other] == tier) {
                v->tier[v->count] = (unsigned char)tier;
                v->order[v->count++] = other;
            }
        }
        v->tier_end[tier] = v->count;
    }
}

static void by_number(struct wsfj_victims *v, unsigned self, unsigned n, const unsigned char *tiers)
{
    for (unsigned i = 1; i < n; i++) {
        v->order[v->count] = (self + i) % n;
        v->tier[v->count++] = tiers[(self + i) % n];
    }
}

bool wsfj_victims_make(struct wsfj_victims *v, enum ws_victim policy, unsigned self, unsigned n,
                       const unsigned char *tiers)
{
    struct table *t = wsfj_malloc(sizeof *t + n * (sizeof *v->order + sizeof *v->tier));

    *v = (struct wsfj_victims){.policy = policy};
    if (!t)
        return false;
    *t = (struct table){.next = tables, .link = &tables};
    if (tables)
        tables->link = &t->next;
    tables = t;
    v->order = t->order;
    v->tier = (unsigned char *)(t->order + n);
    if (policy == WS_VICTIM_UNIFORM || policy == WS_VICTIM_ROUND_ROBIN)
        by_number(v, self, n, tiers);
    else
        by_tier(v, self, n, tiers);
    if (policy == WS_VICTIM_UNIFORM)
        shuffle(v, self + 1);
    v->last = policy == WS_VICTIM_ROUND_ROBIN ? 0 : v->count;
    return true;
}

void wsfj_victims_free(struct wsfj_victims *v)
{
    if (v->order) {
        struct table *t = (struct table *)(void *)((char *)v->order - offsetof(struct table, order));

        *t->link = t->next;
        if (t->next)
            t->next->link = t->link;
        free(t);
    }
    *v = (struct wsfj_victims){.count = 0};
}

static bool try_index(struct wsfj_victims *v, unsigned index, const struct wsfj_visit *visit)
{
    return visit->try(visit->context, v->order[index], (enum wsfj_tier)v->tier[index]);
}

/* order[start..end) from a random one on, but for `but`. The index of the one that was it, or v->count. */
static unsigned try_range(struct wsfj_victims *v, unsigned start, unsigned end, unsigned but, uint64_t *random,
                          const struct wsfj_visit *visit)
{
    unsigned n = end - start, first = n > 1 ? (unsigned)(wsfj_random(random) % n) : 0;

    for (unsigned i = 0; i < n; i++) {
        unsigned index = start + (first + i) % n;

        if (index != but && try_index(v, index, visit))
            return index;
    }
    return v->count;
}

static unsigned try_tier(struct wsfj_victims *v, unsigned tier, unsigned but, uint64_t *random,
                         const struct wsfj_visit *visit)
{
    return try_range(v, tier ? v->tier_end[tier - 1] : 0, v->tier_end[tier], but, random, visit);
}

/* The tier that comes first in this round: mostly the nearest that has anybody in it, but any may be it. */
static unsigned draw_tier(const struct wsfj_victims *v, uint64_t *random)
{
    unsigned tier = 0;

    while (tier < WSFJ_TIER_COUNT - 1 &&
           (v->tier_end[tier] == (tier ? v->tier_end[tier - 1] : 0) ||
            (v->tier_end[tier] < v->count && (wsfj_random(random) >> 32) % NEAR_PASSES == 0)))
        tier++;
    return tier;
}

static unsigned try_tiers(struct wsfj_victims *v, unsigned but, uint64_t *random, const struct wsfj_visit *visit)
{
    unsigned first = draw_tier(v, random), found = try_tier(v, first, but, random, visit);

    for (unsigned tier = 0; found == v->count && tier < WSFJ_TIER_COUNT; tier++)
        if (tier != first)
            found = try_tier(v, tier, but, random, visit);
    return found;
}

static bool near_one(struct wsfj_victims *v, uint64_t *random, const struct wsfj_visit *visit)
{
    unsigned first = (wsfj_random(random) >> 32) % NEAR_FORGETS ? v->last : v->count;

    if (first < v->count && try_index(v, first, visit))
        return true;
    v->last = try_tiers(v, first, random, visit);
    return v->last < v->count;
}

static bool largest(struct wsfj_victims *v, uint64_t *random, const struct wsfj_visit *visit)
{
    unsigned first = v->count;
    size_t most = 0;

    for (unsigned i = 0; i < v->count; i++) {
        size_t length = visit->length(visit->context, v->order[i]);

        if (length > most) {
            most = length;
            first = i;
        }
    }
    return (first < v->count && try_index(v, first, visit)) || try_tiers(v, first, random, visit) < v->count;
}

static bool next_one(struct wsfj_victims *v, const struct wsfj_visit *visit)
{
    for (unsigned i = 0; i < v->count; i++) {
        unsigned index = v->last;

        v->last = index + 1 < v->count ? index + 1 : 0;
        if (try_index(v, index, visit))
            return true;
    }
    return false;
}

bool wsfj_victims_visit(struct wsfj_victims *v, uint64_t *random, const struct wsfj_visit *visit)
{
    switch (v->policy) {
    case WS_VICTIM_UNIFORM: return try_range(v, 0, v->count, v->count, random, visit) < v->count;
    case WS_VICTIM_LARGEST: return largest(v, random, visit);
    case WS_VICTIM_ROUND_ROBIN: return next_one(v, visit);
    case WS_VICTIM_DEFAULT:
    case WS_VICTIM_NEAR: break;
    }
    return near_one(v, random, visit);
}

enum wsfj_tier wsfj_victims_tier(const struct wsfj_victims *v, unsigned other)
{
    for (unsigned i = 0; i < v->count; i++) {
        if (v->order[i] == other)
            return (enum wsfj_tier)v->tier[i];
    }
    return WSFJ_TIER_CORE; /* itself */
}
