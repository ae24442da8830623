/* SPDX-License-Identifier: MIT */
#include "core/victim.h"

#include "base/alloc.h"

#include <stdlib.h>

/* list[]: by number, or shuffled. */
static void fill_list(struct wsfj_victim_order *o)
{
    uint64_t random = 1;

    for (unsigned i = 0; i < o->n; i++)
        o->list[i] = i;
    for (unsigned i = o->n; i > 1 && wsfj_policy.victim == WSFJ_VICTIM_UNIFORM; i--) {
        unsigned j = (unsigned)(wsfj_random(&random) % i), id = o->list[j];

        o->list[j] = o->list[i - 1];
        o->list[i - 1] = id;
    }
    for (unsigned i = 0; i < o->n; i++)
        o->entry[o->list[i]] = i;
}

/* Where the workers at most `tier` away from near[at] begin and end. */
static struct wsfj_victim_range range_of(const struct wsfj_victim_order *o, unsigned at, const enum wsfj_tier *gap,
                                         enum wsfj_tier tier)
{
    struct wsfj_victim_range range = {at, at + 1};

    if (at && gap[at] <= tier)
        return o->range[at - 1][tier + 1];
    while (range.high < o->n && gap[range.high] <= tier)
        range.high++;
    return range;
}

bool wsfj_victim_order_make(struct wsfj_victim_order *o, unsigned n, const unsigned *near, const enum wsfj_tier *gap)
{
    unsigned *numbers;

    *o = (struct wsfj_victim_order){.n = n};
    o->range = wsfj_malloc(n * (sizeof *o->range + 4 * sizeof *numbers));
    if (!o->range)
        return false;
    numbers = (unsigned *)(o->range + n);
    o->near = numbers;
    o->position = numbers + n;
    o->list = numbers + 2 * n;
    o->entry = numbers + 3 * n;
    for (unsigned at = 0; at < n; at++) {
        o->near[at] = near[at];
        o->position[near[at]] = at;
        o->range[at][0] = (struct wsfj_victim_range){at, at + 1};
        for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++)
            o->range[at][tier + 1] = range_of(o, at, gap, (enum wsfj_tier)tier);
    }
    if (!wsfj_victims_tiered())
        fill_list(o);
    return true;
}

void wsfj_victim_order_free(struct wsfj_victim_order *o)
{
    free(o->range);
    *o = (struct wsfj_victim_order){.n = 0};
}

void wsfj_victims_make(struct wsfj_victims *v, const struct wsfj_victim_order *o, unsigned self)
{
    *v = (struct wsfj_victims){.order = o, .range = o->range[o->position[self]], .self = self, .count = o->n - 1};
    v->last = wsfj_policy.victim == WSFJ_VICTIM_ROUND_ROBIN ? 0 : v->count;
}

/* The indices start..end from a random one on. */
static void begin_range(struct wsfj_victim_round *r, unsigned start, unsigned end)
{
    unsigned n = end - start;

    r->start = start;
    r->n = n;
    r->shift = n > 1 ? (unsigned)(wsfj_random(r->random) % n) : 0;
    r->tried = 0;
}

static void begin_tier(struct wsfj_victim_round *r, enum wsfj_tier tier)
{
    begin_range(r, wsfj_victims_first(r->victims, tier), wsfj_victims_end(r->victims, tier));
    r->distance = tier;
}

/* The tier that comes first in this round: mostly the nearest that has a worker in it, but it may be any. */
static enum wsfj_tier draw_tier(const struct wsfj_victims *v, uint64_t *random)
{
    unsigned tier = 0;

    for (; tier < WSFJ_TIER_COUNT - 1; tier++) {
        unsigned first = wsfj_victims_first(v, (enum wsfj_tier)tier), end = wsfj_victims_end(v, (enum wsfj_tier)tier);

        if (first < end && (end == v->count || (wsfj_random(random) >> 32) % wsfj_policy.near_passes != 0))
            break;
    }
    return (enum wsfj_tier)tier;
}

/* The tier of the victim `index`, where the nearest come first. */
static enum wsfj_tier tier_at(const struct wsfj_victims *v, unsigned index)
{
    unsigned tier = 0;

    while (index >= wsfj_victims_end(v, (enum wsfj_tier)tier))
        tier++;
    return (enum wsfj_tier)tier;
}

/* The index of the victim with the most tasks, the nearest of equals; v->count if no victim has any. */
static unsigned longest(const struct wsfj_victims *v, size_t (*length)(unsigned victim))
{
    unsigned index = v->count;
    size_t most = 0;

    for (unsigned i = 0; i < v->count; i++) {
        size_t n = length(wsfj_victims_near(v, tier_at(v, i), i));

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
    *r = (struct wsfj_victim_round){
        .victims = v, .random = random, .index = v->count, .favourite = v->count, .left = v->count};
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

/* The next tier with workers in it, after all victims of the one before have been tried. False if there is none. */
static bool next_tier(struct wsfj_victim_round *r)
{
    const struct wsfj_victims *v = r->victims;

    if (!wsfj_victims_tiered())
        return false;
    if (!r->drawn) {
        r->drawn = true;
        r->first_tier = draw_tier(v, r->random);
        begin_tier(r, (enum wsfj_tier)r->first_tier);
        return true;
    }
    for (unsigned end = 0; end < v->count && r->tier < WSFJ_TIER_COUNT;) {
        enum wsfj_tier tier = (enum wsfj_tier)r->tier++;
        unsigned first = wsfj_victims_first(v, tier);

        end = wsfj_victims_end(v, tier);
        if (first < end && tier != r->first_tier) {
            begin_tier(r, tier);
            return true;
        }
    }
    return false;
}

/* The victim `index` of list[], from the worker on. */
static unsigned listed(const struct wsfj_victims *v, unsigned index)
{
    return v->order->list[(v->order->entry[v->self] + 1 + index) % v->order->n];
}

static bool choose(struct wsfj_victim_round *r, unsigned index)
{
    const struct wsfj_victims *v = r->victims;

    r->index = index;
    r->left--;
    if (wsfj_victims_tiered()) {
        r->victim = wsfj_victims_near(v, r->distance, index);
    } else {
        r->victim = listed(v, index);
        r->distance = wsfj_victims_tier(v, r->victim);
    }
    return true;
}

bool wsfj_victims_next(struct wsfj_victim_round *r)
{
    struct wsfj_victims *v = r->victims;

    if (r->left == 0)
        return false; /* without a look at the tiers that remain */
    if (r->index == v->count && r->favourite < v->count) {
        r->distance = tier_at(v, r->favourite);
        return choose(r, r->favourite);
    }
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
    unsigned at = v->order->position[other], tier = 0;

    while (at < v->range[tier + 1].low || at >= v->range[tier + 1].high)
        tier++;
    return (enum wsfj_tier)tier;
}
