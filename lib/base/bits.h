/* SPDX-License-Identifier: MIT */
/* Sets of numbers, one bit for each, which other threads may change meanwhile. */
#ifndef WSFJ_BASE_BITS_H
#define WSFJ_BASE_BITS_H

#include "base/atomic.h"
#include "base/base.h"

#define WSFJ_BITS 64 /* of a word */

static inline uint64_t wsfj_bit(unsigned number)
{
    return UINT64_C(1) << number % WSFJ_BITS;
}

/* Relaxed: a hint, and so are the searches below. */
static inline bool wsfj_bits_has(const uint64_t *set, unsigned number)
{
    return load_relaxed(&set[number / WSFJ_BITS]) & wsfj_bit(number);
}

/* The first number of the word that has `number`. */
static inline unsigned wsfj_bits_first(unsigned number)
{
    return number & ~(WSFJ_BITS - 1u);
}

/* The numbers below `number`, of the word that begins with `first`. */
static inline uint64_t wsfj_bits_below(unsigned first, unsigned number)
{
    return number <= first ? 0 : number - first < WSFJ_BITS ? wsfj_bit(number) - 1 : ~UINT64_C(0);
}

/* The numbers low..high - 1 of that word. */
static inline uint64_t wsfj_bits_range(unsigned first, unsigned low, unsigned high)
{
    return wsfj_bits_below(first, high) & ~wsfj_bits_below(first, low);
}

/* The first of from..to - 1 that is in the set; `to` if none is. */
static inline unsigned wsfj_bits_next(const uint64_t *set, unsigned from, unsigned to)
{
    for (; from < to; from = wsfj_bits_first(from) + WSFJ_BITS) {
        uint64_t found = load_relaxed(&set[from / WSFJ_BITS]) >> from % WSFJ_BITS;

        if (found) {
            from += (unsigned)__builtin_ctzll(found);
            return from < to ? from : to;
        }
    }
    return to;
}

#endif
