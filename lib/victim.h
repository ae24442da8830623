/* SPDX-License-Identifier: MIT */
/*
 * In what order a worker tries its victims. Pure: arrays in, an order out; testable without threads.
 *
 * Nearest tier first, a random start inside each tier (so that two thieves do not chase each other), every victim once
 * a round: no tier starves. The victim of the last success is tried before the round.
 */
#ifndef WSFJ_VICTIM_H
#define WSFJ_VICTIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far two workers are from each other: the innermost thing they share. */
enum wsfj_tier { WSFJ_TIER_CORE, WSFJ_TIER_CACHE, WSFJ_TIER_NUMA, WSFJ_TIER_PACKAGE, WSFJ_TIER_MACHINE, WSFJ_TIER_COUNT };

extern const char *const wsfj_tier_names[WSFJ_TIER_COUNT];

struct wsfj_victims {
    unsigned count;                        /* all other workers */
    unsigned *order;                       /* their ids, nearest first */
    unsigned tier_end[WSFJ_TIER_COUNT];    /* order[tier_end[t - 1]..tier_end[t]) is tier t */
    unsigned last;                         /* the last successful victim, or count: none */
};

/* The order for worker `self` of `n`; tiers[i] is its distance to worker i. False if there is no memory. */
bool wsfj_victims_make(struct wsfj_victims *victims, unsigned self, unsigned n, const unsigned char *tiers);
void wsfj_victims_free(struct wsfj_victims *victims);

/* Calls try(context, victim id, tier) for each until it returns true; then true. `random` is advanced. */
bool wsfj_victims_visit(struct wsfj_victims *victims, uint64_t *random,
                        bool (*try)(void *context, unsigned victim, enum wsfj_tier tier), void *context);

/* xorshift64: Marsaglia, Xorshift RNGs, 2003. The state must not be 0. */
static inline uint64_t wsfj_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
