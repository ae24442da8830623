/* SPDX-License-Identifier: MIT */
/*
 * In what order a worker tries its victims. Pure: arrays in, an order out; testable without threads.
 *
 * A round tries every victim once, whatever the policy, so that a round in vain has looked everywhere. They differ in
 * who comes first, which matters as long as there is work in several places:
 *
 *   near         the victim of the last success; then the nearest tier first, with a random start inside each tier (so
 *                that two thieves do not chase each other). No tier starves: one round in 8 forgets the last success,
 *                and which tier comes first is drawn, the nearest with weight 3/4, the next one with 3/16, and so on;
 *                the others follow, nearest first.
 *   uniform      a random start in a shuffled order
 *   largest      the one with most tasks waiting, the nearest of equals; then as near, without the last success
 *   round-robin  the one after the last one tried
 */
#ifndef WSFJ_CORE_VICTIM_H
#define WSFJ_CORE_VICTIM_H

#include "machine/tier.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wsfj.h>

struct wsfj_victims {
    enum ws_victim policy;
    unsigned count;                        /* all other workers */
    unsigned *order;                       /* their ids: near and largest: nearest first; uniform: shuffled */
    unsigned char *tier;                   /* order[i]'s */
    unsigned tier_end[WSFJ_TIER_COUNT];    /* nearest first: order[tier_end[t - 1]..tier_end[t]) is tier t */
    unsigned last;                         /* near: the last success, or count: none; round-robin: the next one */
};

/* What a round asks about its victims. */
struct wsfj_visit {
    bool (*try)(void *context, unsigned victim, enum wsfj_tier tier); /* true: that was the one */
    size_t (*length)(void *context, unsigned victim);                 /* tasks waiting; for `largest` only */
    void *context;
};

/* The order for worker `self` of `n`; tiers[i] is its distance to worker i. False if there is no memory. */
bool wsfj_victims_make(struct wsfj_victims *victims, enum ws_victim policy, unsigned self, unsigned n,
                       const unsigned char *tiers);
void wsfj_victims_free(struct wsfj_victims *victims);

/* Tries one after the other until one was it; then true. `random` is advanced. */
bool wsfj_victims_visit(struct wsfj_victims *victims, uint64_t *random, const struct wsfj_visit *visit);

/* The distance of the worker `other` from the worker that has these victims; CORE if they are the same. Walks the list. */
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
