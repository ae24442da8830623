/* SPDX-License-Identifier: MIT */
/*
 * The order in which a thief tries its victims. Pure: arrays in, an order out; testable without threads.
 *
 * One order serves all workers: those at a distance from a worker are its neighbours on both sides.
 *
 * A round tries each victim in the awake set once (worker/awake.h), so it takes longer only as more workers are awake. Which
 * victim comes first matters as long as several victims have work: the victim of the last success; then the nearest tier.
 * Inside each tier a random start (so that two thieves do not chase each other), at a worker that is awake if one of a few
 * draws finds one. No tier starves: one round in 8 forgets the last success, and each round draws the tier that comes first:
 * the nearest with weight 1/2, the next one with 1/4, and so on; the others follow, nearest first.
 *
 * The simulator has other orders, for comparisons: tools/sim/other_victims.c.
 */
#ifndef WSFJ_WORKER_VICTIM_H
#define WSFJ_WORKER_VICTIM_H

#include "machine/tier.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The workers near[low..high). */
struct wsfj_victim_range {
    unsigned low, high;
};

/* The order of all workers, which their victims share. */
struct wsfj_victim_order {
    unsigned n;
    const uint64_t *awake;     /* a bit for each position in near[]. A hint: threads change it meanwhile */
    unsigned *near, *position; /* the workers, near ones side by side; by id: where each stands there */
    /* By position in near[]: [0] is the worker itself, [t + 1] the workers that are at most tier t away. */
    struct wsfj_victim_range (*range)[WSFJ_TIER_COUNT + 1];
};

struct wsfj_victims {
    const struct wsfj_victim_order *order;
    const struct wsfj_victim_range *range; /* the worker's row */
    unsigned position;                     /* its own, in near[] */
    unsigned tiers;                        /* bit t: there are workers that are t away */
    unsigned last;                         /* the position of the last success; order->n: none */
};

/* A round under way. The caller reads `victim` and `distance` after each wsfj_victims_next(). */
struct wsfj_victim_round {
    unsigned victim;         /* the id of the worker to try now */
    enum wsfj_tier distance; /* its tier */

    struct wsfj_victims *victims;
    uint64_t *random;
    unsigned at;                      /* the victim's position */
    unsigned favourite;               /* the position that comes first; order->n: none does */
    unsigned tiers;                   /* as in victims: those that have not begun */
    struct wsfj_victim_range part[3]; /* what is left of this tier, in the order of trying; low: the next position */
    unsigned part_now;                /* which of them is tried; 3: none is left */
};

/* Makes the order of `n` workers. near[i]: a worker, gap[i]: its distance from near[i - 1]. Two workers are as far from
 * each other as the largest gap between them. False if there is no memory. */
bool wsfj_victim_order_make(struct wsfj_victim_order *order, unsigned n, const unsigned *near,
                            const enum wsfj_tier *gap, const uint64_t *awake);
void wsfj_victim_order_free(struct wsfj_victim_order *order);

/* The victims of the worker `self`. */
void wsfj_victims_make(struct wsfj_victims *victims, const struct wsfj_victim_order *order, unsigned self);

/* Begins a round. Advances `random`, as wsfj_victims_next() does. */
void wsfj_victims_begin(struct wsfj_victims *victims, struct wsfj_victim_round *round, uint64_t *random);

/* The next victim of the round; false after the last one. */
bool wsfj_victims_next(struct wsfj_victim_round *round);

/* The thief has found work at the round's present victim. The round is over. */
void wsfj_victims_found(const struct wsfj_victim_round *round);

/* The distance of the worker `other` from the worker that has these victims; CORE if they are the same. */
enum wsfj_tier wsfj_victims_tier(const struct wsfj_victims *victims, unsigned other);

/* xorshift64: Marsaglia, Xorshift RNGs, 2003. The state must not be 0. */
static inline uint64_t wsfj_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
