/* SPDX-License-Identifier: MIT */
/* Lengths of time with fractions of nanoseconds, whose sum is exact: what is played is what was recorded. */
#ifndef TOOLS_SIM_LENGTHS_H
#define TOOLS_SIM_LENGTHS_H

#include <stdint.h>

#define LENGTH_BITS 20 /* of the fraction */

typedef unsigned __int128 sim_sum; /* in 2^-20 ns */

/* A payer gives out whole nanoseconds, and keeps what is left over for the next time. */
struct sim_payer {
    uint64_t rest; /* below 2^20 */
    sim_sum paid;
};

static inline sim_sum sim_length(double ns)
{
    return (sim_sum)(ns * (1 << LENGTH_BITS) + 0.5);
}

static inline uint64_t sim_pay(struct sim_payer *payer, sim_sum length)
{
    sim_sum due = length + payer->rest;

    payer->paid += length;
    payer->rest = (uint64_t)due & ((1 << LENGTH_BITS) - 1);
    return (uint64_t)(due >> LENGTH_BITS);
}

/* The part from `from` to `to` of `all`; the parts of a length are exactly that length together. */
static inline sim_sum sim_length_part(sim_sum length, uint64_t from, uint64_t to, uint64_t all)
{
    return length * to / all - length * from / all;
}

#endif
