/* SPDX-License-Identifier: MIT */
#include "core/victim.h"

#include "base/alloc.h"

#include <stdlib.h>

/* The workers lie in a mapping of their own, where leak checkers do not look. When a task ends the process by exit(),
 * this list tells a leak checker that the workers' tables are not lost. Start and stop only, one thread at a time. */
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

/* The other workers by tier, from `self` on: so not every list of equal distances begins with worker 0. */
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

bool wsfj_victims_make(struct wsfj_victims *v, unsigned self, unsigned n, const unsigned char *tiers)
{
    struct table *t = wsfj_malloc(sizeof *t + n * (sizeof *v->order + sizeof *v->tier));

    *v = (struct wsfj_victims){.count = 0};
    if (!t)
        return false;
    *t = (struct table){.next = tables, .link = &tables};
    if (tables)
        tables->link = &t->next;
    tables = t;
    v->order = t->order;
    v->tier = (unsigned char *)(t->order + n);
    if (wsfj_victims_tiered())
        by_tier(v, self, n, tiers);
    else
        by_number(v, self, n, tiers);
    if (wsfj_policy.victim == WSFJ_VICTIM_UNIFORM)
        shuffle(v, self + 1);
    v->last = wsfj_policy.victim == WSFJ_VICTIM_ROUND_ROBIN ? 0 : v->count;
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

/* order[start..end) from a random victim on. */
static void begin_range(struct wsfj_victim_round *r, unsigned start, unsigned end)
{
    unsigned n = end - start;

    r->start = start;
    r->n = n;
    r->shift = n > 1 ? (unsigned)(wsfj_random(r->random) % n) : 0;
    r->tried = 0;
}

static void begin_tier(struct wsfj_victim_round *r, unsigned tier)
{
    const struct wsfj_victims *v = r->victims;

    begin_range(r, tier ? v->tier_end[tier - 1] : 0, v->tier_end[tier]);
}

/* The tier that comes first in this round: mostly the nearest that has a worker in it, but it may be any. */
static unsigned draw_tier(const struct wsfj_victims *v, uint64_t *random)
{
    unsigned tier = 0;

    while (tier < WSFJ_TIER_COUNT - 1 &&
           (v->tier_end[tier] == (tier ? v->tier_end[tier - 1] : 0) ||
            (v->tier_end[tier] < v->count && (wsfj_random(random) >> 32) % wsfj_policy.near_passes == 0)))
        tier++;
    return tier;
}

/* The index of the victim with the most tasks, the nearest of equals; v->count if no victim has any. */
static unsigned longest(const struct wsfj_victims *v, size_t (*length)(unsigned victim))
{
    unsigned index = v->count;
    size_t most = 0;

    for (unsigned i = 0; i < v->count; i++) {
        size_t n = length(v->order[i]);

        if (n > most) {
            most = n;
            index = i;
        }
    }
    return index;
}

void wsfj_victims_begin(struct wsfj_victims *v, struct wsfj_victim_round *r, uint64_t *random,
                        size_t (*length)(unsigned victim))
{
    *r = (struct wsfj_victim_round){.victims = v, .random = random, .index = v->count, .favourite = v->count};
    switch (wsfj_policy.victim) {
    case WSFJ_VICTIM_UNIFORM: begin_range(r, 0, v->count); break;
    case WSFJ_VICTIM_ROUND_ROBIN:
        r->n = v->count;
        r->shift = v->last;
        break;
    case WSFJ_VICTIM_LARGEST: r->favourite = longest(v, length); break;
    case WSFJ_VICTIM_NEAR:
        if ((wsfj_random(random) >> 32) % wsfj_policy.near_forgets)
            r->favourite = v->last;
        v->last = v->count; /* until wsfj_victims_found() */
        break;
    }
}

/* The next tier, after all victims of the one before have been tried. False if there is none. */
static bool next_tier(struct wsfj_victim_round *r)
{
    if (!wsfj_victims_tiered())
        return false;
    if (!r->drawn) {
        r->drawn = true;
        r->first_tier = draw_tier(r->victims, r->random);
        begin_tier(r, r->first_tier);
        return true;
    }
    r->tier += r->tier == r->first_tier;
    if (r->tier >= WSFJ_TIER_COUNT)
        return false;
    begin_tier(r, r->tier++);
    return true;
}

static bool choose(struct wsfj_victim_round *r, unsigned index)
{
    r->index = index;
    r->victim = r->victims->order[index];
    r->distance = (enum wsfj_tier)r->victims->tier[index];
    return true;
}

bool wsfj_victims_next(struct wsfj_victim_round *r)
{
    struct wsfj_victims *v = r->victims;

    if (r->index == v->count && r->favourite < v->count)
        return choose(r, r->favourite);
    do {
        while (r->tried < r->n) {
            unsigned index = r->start + (r->shift + r->tried++) % r->n;

            if (index == r->favourite)
                continue;
            if (wsfj_policy.victim == WSFJ_VICTIM_ROUND_ROBIN)
                v->last = index + 1 < v->count ? index + 1 : 0;
            return choose(r, index);
        }
    } while (next_tier(r));
    return false;
}

void wsfj_victims_found(const struct wsfj_victim_round *r)
{
    if (wsfj_policy.victim == WSFJ_VICTIM_NEAR)
        r->victims->last = r->index;
}

enum wsfj_tier wsfj_victims_tier(const struct wsfj_victims *v, unsigned other)
{
    for (unsigned i = 0; i < v->count; i++) {
        if (v->order[i] == other)
            return (enum wsfj_tier)v->tier[i];
    }
    return WSFJ_TIER_CORE; /* itself */
}
