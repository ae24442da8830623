/* SPDX-License-Identifier: MIT */
/*
 * What a strand costs. One that was timed and is long has its own length, of few different ones, which never exceeds what
 * has passed; the rest is carried on to the next such strand, and at the end to a mean. All other strands have a mean, so
 * that the sum over all words is exactly the work.
 */
#include "profile/record_build.h"

#include "base/alloc.h"

#include <string.h>

/* A length for a strand that took `length`: at most that and what is carried. */
static uint32_t take_length(uint64_t length, uint64_t unit, uint64_t *carried)
{
    uint32_t cost = wsfj_cost_below(length / unit);

    *carried += length;
    if (wsfj_cost_length(cost + 1) * unit <= *carried && wsfj_cost_length(cost) * unit != length)
        cost++;
    *carried -= wsfj_cost_length(cost) * unit;
    return cost;
}

static bool has_cost(struct wsfj_record *r, size_t cost)
{
    size_t more = r->num_costs ? r->num_costs : 64;
    struct wsfj_cost *costs;

    if (cost < r->num_costs)
        return true;
    while (more <= cost)
        more *= 2;
    costs = wsfj_realloc(r->costs, more * sizeof *costs);
    if (!costs) {
        wsfj_record_give_up(r, "no memory");
        return false;
    }
    memset(&costs[r->num_costs], 0, (more - r->num_costs) * sizeof *costs);
    r->costs = costs;
    r->num_costs = more;
    return true;
}

/* The mean of the strands that begin in one way and end in one way. */
static uint32_t take_mean(struct wsfj_record *r, uint32_t id, enum wsfj_end end, uint64_t length)
{
    size_t cost = (size_t)id * WSFJ_ENDS + end;

    if (!has_cost(r, cost))
        return 0;
    r->costs[cost].sum += length;
    r->costs[cost].count++;
    return (uint32_t)(WSFJ_COSTS_LENGTHS + cost);
}

void wsfj_record_put_strand(struct wsfj_account *a, enum wsfj_end end, bool is_blocked, uint64_t length,
                            bool has_length, uint64_t iterations)
{
    struct wsfj_record *r = a->record;
    uint64_t unit = a->profile.wsfj_unit ? WSFJ_PROFILE_TICK : 1,
             *carried = is_blocked ? &r->carried_blocked : &r->carried;
    uint32_t cost;

    if (a->profile.wsfj_unit && length == 0 && iterations == 0)
        return;
    if (a->profile.wsfj_unit || (has_length && length >= r->least))
        cost = take_length(length, unit, carried);
    else
        cost = take_mean(r, a->profile.wsfj_now->wsfj_id, end, length);
    if (r->is_off)
        return;
    if (iterations)
        wsfj_record_put(r, wsfj_word(WSFJ_WORD_RUN, iterations << WSFJ_COST_BITS | cost));
    else
        wsfj_record_put(r, wsfj_word(is_blocked ? WSFJ_WORD_BLOCK : WSFJ_WORD_WORK, cost));
}

void wsfj_record_put_rest(struct wsfj_account *a)
{
    struct wsfj_record *r = a->record;
    uint64_t rest = a->profile.wsfj_work - r->work + r->carried + r->kept,
             blocked = a->profile.wsfj_blocked - r->blocked + r->carried_blocked;

    r->carried = r->carried_blocked = r->kept = 0;
    if (rest && !r->is_off)
        wsfj_record_put(r, wsfj_word(WSFJ_WORD_WORK, take_mean(r, 0, WSFJ_END_CHILD, rest)));
    if (blocked && !r->is_off)
        wsfj_record_put(r, wsfj_word(WSFJ_WORD_BLOCK, take_mean(r, 2, WSFJ_END_SYNC, blocked)));
}
