/* SPDX-License-Identifier: MIT */
#include "worker/victim.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/policy.h"

#include <stdlib.h>

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

bool wsfj_victim_order_make(struct wsfj_victim_order *o, unsigned n, const unsigned *near, const enum wsfj_tier *gap,
                            const uint64_t *awake)
{
    unsigned *numbers;

    *o = (struct wsfj_victim_order){.n = n, .awake = awake};
    o->range = wsfj_malloc(n * (sizeof *o->range + 2 * sizeof *numbers));
    if (!o->range)
        return false;
    numbers = (unsigned *)(o->range + n);
    o->near = numbers;
    o->position = numbers + n;
    for (unsigned at = 0; at < n; at++) {
        o->near[at] = near[at];
        o->position[near[at]] = at;
        o->range[at][0] = (struct wsfj_victim_range){at, at + 1};
        for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++)
            o->range[at][tier + 1] = range_of(o, at, gap, (enum wsfj_tier)tier);
    }
    return true;
}

void wsfj_victim_order_free(struct wsfj_victim_order *o)
{
    free(o->range);
    *o = (struct wsfj_victim_order){.n = 0};
}

/* How many workers are `tier` away. */
static unsigned number(const struct wsfj_victims *v, enum wsfj_tier tier)
{
    const struct wsfj_victim_range *nearer = &v->range[tier], *all = nearer + 1;

    return (all->high - all->low) - (nearer->high - nearer->low);
}

void wsfj_victims_make(struct wsfj_victims *v, const struct wsfj_victim_order *o, unsigned self)
{
    unsigned at = o->position[self];

    *v = (struct wsfj_victims){.order = o, .range = o->range[at], .position = at, .last = o->n};
    for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++)
        if (number(v, (enum wsfj_tier)tier))
            v->tiers |= 1u << tier;
}

/* The tier of the worker that stands there. */
static enum wsfj_tier tier_at(const struct wsfj_victims *v, unsigned at)
{
    unsigned tier = 0;

    while (at < v->range[tier + 1].low || at >= v->range[tier + 1].high)
        tier++;
    return (enum wsfj_tier)tier;
}

/* From the position `start` on, round to the position before it, without the workers that are nearer. */
static void begin_tier(struct wsfj_victim_round *r, enum wsfj_tier tier, unsigned start)
{
    const struct wsfj_victim_range nearer = r->victims->range[tier], all = r->victims->range[tier + 1];

    r->distance = tier;
    r->part_now = 0;
    if (start < nearer.low) {
        r->part[0] = (struct wsfj_victim_range){start, nearer.low};
        r->part[1] = (struct wsfj_victim_range){nearer.high, all.high};
        r->part[2] = (struct wsfj_victim_range){all.low, start};
    } else {
        r->part[0] = (struct wsfj_victim_range){start, all.high};
        r->part[1] = (struct wsfj_victim_range){all.low, nearer.low};
        r->part[2] = (struct wsfj_victim_range){nearer.high, start};
    }
}

/* The next worker of the tier that is awake. */
static bool next_in_tier(struct wsfj_victim_round *r)
{
    while (r->part_now < 3) {
        struct wsfj_victim_range *part = &r->part[r->part_now];

        r->at = wsfj_bits_next(r->victims->order->awake, part->low, part->high);
        part->low = r->at + 1;
        if (r->at >= part->high)
            r->part_now++;
        else if (r->at != r->favourite)
            return true;
    }
    return false;
}

/* Somewhere in the tier: where a worker is awake, if a few draws find one. Without these draws, the first one behind many
 * sleepers would be tried first by most thieves. */
static unsigned random_start(const struct wsfj_victims *v, enum wsfj_tier tier, uint64_t *random)
{
    const struct wsfj_victim_range *nearer = &v->range[tier];
    unsigned n = number(v, tier), start;
    unsigned draws = n > 1 ? wsfj_policy.start_draws : 1; /* one worker needs none */

    do {
        start = nearer[1].low + (n > 1 ? (unsigned)(wsfj_random(random) % n) : 0);
        if (start >= nearer->low)
            start += nearer->high - nearer->low;
    } while (--draws && !wsfj_bits_has(v->order->awake, start));
    return start;
}

/* The tier that comes first in this round: mostly the nearest, but it may be any. */
static unsigned draw_tier(unsigned tiers, uint64_t *random)
{
    while ((tiers & (tiers - 1)) && (wsfj_random(random) >> 32) % wsfj_policy.near_passes == 0)
        tiers &= tiers - 1;
    return (unsigned)__builtin_ctz(tiers);
}

/* The next tier, after all victims of the one before have been tried. False if there is none. */
static bool next_tier(struct wsfj_victim_round *r)
{
    const struct wsfj_victims *v = r->victims;
    unsigned tier;

    if (!r->tiers)
        return false;
    tier = r->tiers == v->tiers ? draw_tier(r->tiers, r->random) : (unsigned)__builtin_ctz(r->tiers);
    r->tiers &= ~(1u << tier);
    begin_tier(r, (enum wsfj_tier)tier, random_start(v, (enum wsfj_tier)tier, r->random));
    return true;
}

void WSFJ_POLICY_FUNCTION(wsfj_victims_begin)(struct wsfj_victims *v, struct wsfj_victim_round *r, uint64_t *random)
{
    unsigned none = v->order->n;

    *r = (struct wsfj_victim_round){
        .victims = v, .random = random, .at = none, .favourite = none, .tiers = v->tiers, .part_now = 3};
    if ((wsfj_random(random) >> 32) % wsfj_policy.near_forgets)
        r->favourite = v->last;
    v->last = none; /* until wsfj_victims_found() */
}

/* Takes the favourite as the first victim, if there is one and it is awake. r->at is order->n only before the first call. */
static bool take_favourite(struct wsfj_victim_round *r)
{
    const struct wsfj_victims *v = r->victims;

    if (r->at < v->order->n || r->favourite == v->order->n)
        return false;
    r->at = r->favourite;
    r->distance = tier_at(v, r->at);
    return wsfj_bits_has(v->order->awake, r->at);
}

bool WSFJ_POLICY_FUNCTION(wsfj_victims_next)(struct wsfj_victim_round *r)
{
    if (!take_favourite(r)) {
        while (!next_in_tier(r))
            if (!next_tier(r))
                return false;
    }
    r->victim = r->victims->order->near[r->at];
    return true;
}

void WSFJ_POLICY_FUNCTION(wsfj_victims_found)(const struct wsfj_victim_round *r)
{
    r->victims->last = r->at;
}

enum wsfj_tier wsfj_victims_tier(const struct wsfj_victims *v, unsigned other)
{
    return tier_at(v, v->order->position[other]);
}
