/* SPDX-License-Identifier: MIT */
/* Rounds of a thief, for tests of the order of its victims: unit/victim has the library's, unit/other_victims those of the
 * simulator. Long loops have no assertions: Check sends a message for each, which took longer than everything else. */
#ifndef TESTS_UNIT_VICTIMS_H
#define TESTS_UNIT_VICTIMS_H

#include "worker/victim.h"

#include "base/bits.h"

#include "../support/run.h"
#include <stdlib.h>
#include <string.h>

#define MOST 1000

/* The visits of one round. */
struct record {
    unsigned calls, succeed_at; /* the call that returns true; 0: none */
    unsigned victim[2 * MOST];
    enum wsfj_tier tier[2 * MOST];
};

static struct record record;
static unsigned near[MOST], self;
static enum wsfj_tier gap[MOST], tiers[MOST]; /* tiers: of each worker, from `self` */
static struct wsfj_victim_order order;
static struct wsfj_victims victims;
static uint64_t awake[MOST / WSFJ_BITS + 1]; /* by position */
static uint64_t seed = 88172645463325252u;

static bool note(unsigned victim, enum wsfj_tier tier)
{
    struct record *r = &record;

    if (r->calls < sizeof r->victim / sizeof *r->victim) {
        r->victim[r->calls] = victim;
        r->tier[r->calls] = tier;
    }
    return ++r->calls == r->succeed_at;
}

/* One round, which `try` ends by returning true. */
static bool round_with(bool (*try)(unsigned victim, enum wsfj_tier tier))
{
    struct wsfj_victim_round round;

    wsfj_victims_begin(&victims, &round, &seed);
    while (wsfj_victims_next(&round)) {
        if (try(round.victim, round.distance)) {
            wsfj_victims_found(&round);
            return true;
        }
    }
    return false;
}

static bool visit(unsigned succeed_at)
{
    memset(&record, 0, sizeof record);
    record.succeed_at = succeed_at;
    return round_with(note);
}

static void make_victims(unsigned which, unsigned n)
{
    ck_assert(wsfj_victim_order_make(&order, n, near, gap, awake));
    self = which;
    wsfj_victims_make(&victims, &order, self);
}

static void drop(void)
{
    wsfj_victim_order_free(&order);
}

/* The largest gap between two places of near[]. */
static enum wsfj_tier between(unsigned a, unsigned b)
{
    enum wsfj_tier largest = WSFJ_TIER_CORE;

    for (unsigned i = (a < b ? a : b) + 1; i <= (a < b ? b : a); i++)
        largest = gap[i] > largest ? gap[i] : largest;
    return largest;
}

/* `n` workers with distances of all tiers, unevenly, and not in the order of their numbers. */
static void make(unsigned which, unsigned n)
{
    unsigned at = 0;

    for (unsigned i = 0; i < n; i++) {
        near[i] = (i * 7 + 5) % n; /* no n here is a multiple of 7 */
        gap[i] = i % 24 == 0   ? WSFJ_TIER_MACHINE
                 : i % 12 == 0 ? WSFJ_TIER_PACKAGE
                 : i % 6 == 0  ? WSFJ_TIER_NUMA
                 : i % 3 == 0  ? WSFJ_TIER_CACHE
                               : WSFJ_TIER_CORE;
        at = near[i] == which ? i : at;
    }
    for (unsigned i = 0; i < n; i++)
        tiers[near[i]] = between(at, i);
    memset(awake, -1, sizeof awake);
    make_victims(which, n);
}

/* How many workers. */
static const unsigned round_counts[] = {1, 2, 3, 17, 1000};
#define ROUND_COUNTS 5

/* Catches: a round that leaves a worker out (its tasks then starve), tries one twice, or steals from itself; a tier in
 * the statistics that is not the victim's. */
static void check_every_other_worker_once(unsigned n)
{
    for (unsigned which = 0; which < n; which += n / 3 + 1) {
        make(which, n);
        for (int round = 0; round < 20; round++) {
            unsigned visits[MOST] = {0};

            ck_assert(!visit(0));
            ck_assert_uint_eq(record.calls, n - 1);
            for (unsigned i = 0; i < record.calls; i++) {
                unsigned victim = record.victim[i];

                if (victim >= n || record.tier[i] != tiers[victim])
                    ck_abort_msg("visit %u: worker %u, tier %d", i, victim, (int)record.tier[i]);
                visits[victim]++;
            }
            for (unsigned i = 0; i < n; i++)
                if (visits[i] != (i != self))
                    ck_abort_msg("worker %u: %u visits", i, visits[i]);
            if (n > 1)
                ck_assert(visit(1 + (unsigned)round % (n - 1))); /* with a last success, too */
            ck_assert(!visit(0));
            ck_assert_uint_eq(record.calls, n - 1);
        }
        drop();
    }
}

#define AWAKE_SETS 3
#define AWAKE_OF 200

/* Workers 0, 3, 6 ... by position are awake, or 64 to 66 only, or none. Catches: a round that visits workers that sleep, or leaves
 * one out that is awake; a last success that is tried although it sleeps. */
static void check_those_awake(int which)
{
    enum { N = AWAKE_OF };
    unsigned expected = 0;

    make(5, N);
    for (int round = 0; round < 20; round++) {
        unsigned visits[N] = {0};

        memset(awake, -1, sizeof awake);
        ck_assert(visit(1 + (unsigned)round));
        memset(awake, 0, sizeof awake);
        expected = 0;
        for (unsigned at = 0; at < N; at++) {
            if (which == 0 ? at % 3 == 0 : which == 1 && at >= 64 && at < 67) {
                awake[at / WSFJ_BITS] |= wsfj_bit(at);
                expected += near[at] != self;
            }
        }
        ck_assert(!visit(0));
        ck_assert_uint_eq(record.calls, expected);
        for (unsigned i = 0; i < record.calls; i++) {
            unsigned at = order.position[record.victim[i]];

            ck_assert(wsfj_bits_has(awake, at));
            ck_assert_int_eq(record.tier[i], tiers[record.victim[i]]);
            ck_assert_uint_eq(visits[at]++, 0);
        }
    }
    ck_assert_uint_eq(expected, which == 0 ? 66 : which == 1 ? 3 : 0);
    drop();
}

#endif
