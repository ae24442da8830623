/* SPDX-License-Identifier: MIT */
/* The order of victims: lib/worker/victim.h. Long loops have no assertions: Check sends a message for each, which took
 * longer than everything else. */
#include "worker/victim.h"

#include "base/bits.h"

#include "../support/run.h"
#include <stdlib.h>
#include <string.h>

#define MOST 1000

struct wsfj_policy wsfj_policy = WSFJ_POLICY;

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

/* Queued tasks of each worker. */
static size_t lengths[MOST];

static size_t length(unsigned victim)
{
    return lengths[victim];
}

/* One round, which `try` ends by returning true. */
static bool round_with(bool (*try)(unsigned victim, enum wsfj_tier tier))
{
    struct wsfj_victim_round round;

    wsfj_victims_begin(&victims, &round, &seed, wsfj_policy.victim == WSFJ_VICTIM_LARGEST ? length : NULL);
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
static void make(enum wsfj_victim policy, unsigned which, unsigned n)
{
    unsigned at = 0;

    for (unsigned i = 0; i < n; i++) {
        near[i] = (i * 7 + 5) % n; /* no n here is a multiple of 7 */
        gap[i] = i % 24 == 0   ? WSFJ_TIER_MACHINE
                 : i % 12 == 0 ? WSFJ_TIER_PACKAGE
                 : i % 6 == 0  ? WSFJ_TIER_NUMA
                 : i % 3 == 0  ? WSFJ_TIER_CACHE
                               : WSFJ_TIER_CORE;
        lengths[i] = i % 3;
        at = near[i] == which ? i : at;
    }
    for (unsigned i = 0; i < n; i++)
        tiers[near[i]] = between(at, i);
    wsfj_policy.victim = policy;
    memset(awake, -1, sizeof awake);
    make_victims(which, n);
}

static const enum wsfj_victim policies[] = {WSFJ_VICTIM_NEAR, WSFJ_VICTIM_UNIFORM, WSFJ_VICTIM_LARGEST,
                                            WSFJ_VICTIM_ROUND_ROBIN};
#define POLICIES 4

/* Catches: a round that leaves a worker out (its tasks then starve), tries one twice, or steals from itself; a tier in
 * the statistics that is not the victim's. */
START_TEST(a_round_visits_every_other_worker_exactly_once)
{
    static const unsigned counts[] = {1, 2, 3, 17, 1000};
    unsigned n = counts[_i / POLICIES];

    for (unsigned which = 0; which < n; which += n / 3 + 1) {
        make(policies[_i % POLICIES], which, n);
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
END_TEST

/* Workers 0, 3, 6 ... by position are awake, or 64 to 66 only, or none. Catches: a round that visits workers that sleep, or leaves
 * one out that is awake; a last success that is tried although it sleeps. */
START_TEST(a_round_visits_the_workers_that_are_awake)
{
    enum { N = 200 };
    const int which = _i / POLICIES;
    unsigned expected = 0;

    make(policies[_i % POLICIES], 5, N);
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
END_TEST

/* Ten workers side by side are awake, of a hundred. Catches: a thief that draws once where it begins: then nearly all thieves try the
 * first of the ten first, which stands behind the sleepers. */
START_TEST(sleepers_do_not_decide_who_is_first)
{
    enum { N = 100, ROUNDS = 4000 };
    unsigned first[2] = {0};

    for (unsigned i = 0; i < N; i++) {
        near[i] = i;
        gap[i] = WSFJ_TIER_CACHE;
    }
    wsfj_policy.victim = WSFJ_VICTIM_NEAR;
    memset(awake, 0, sizeof awake);
    for (unsigned at = 20; at < 30; at++)
        awake[at / WSFJ_BITS] |= wsfj_bit(at);
    make_victims(90, N);
    for (int round = 0; round < ROUNDS; round++) {
        ck_assert(visit(1));
        first[record.victim[0] != 20]++;
        ck_assert(!visit(0));
    }
    /* With one draw the first of the ten would be first in 91 % of the rounds, with five in 63 %. */
    ck_assert_uint_lt(first[0], ROUNDS * 8 / 10);
    drop();
}
END_TEST

/* Catches: far victims before near ones; near ones not first in most rounds. */
START_TEST(near_victims_come_first_and_the_others_in_order)
{
    unsigned rounds[WSFJ_TIER_COUNT] = {0};

    make(WSFJ_VICTIM_NEAR, 3, 64);
    for (int round = 0; round < 20000; round++) {
        enum wsfj_tier first;
        int before = -1;

        visit(0);
        first = record.tier[0];
        rounds[first]++;
        for (unsigned i = 0; i < record.calls; i++) {
            if (record.tier[i] == first)
                continue;
            if ((int)record.tier[i] < before)
                ck_abort_msg("visit %u: tier %d after %d", i, (int)record.tier[i], before);
            before = (int)record.tier[i];
        }
    }
    /* 1/2, 1/4, 1/8, ... of the rounds */
    ck_assert(rounds[0] > 9500 && rounds[0] < 10500);
    ck_assert(rounds[1] > 4600 && rounds[1] < 5400);
    ck_assert(rounds[2] > 2200 && rounds[2] < 2800);
    drop();
}
END_TEST

/* One victim always has tasks: the thief must find it, and still visit all others now and then. Catches: a near victim,
 * or the last success, that starves the others. */
static unsigned rich;

static bool note_rich(unsigned victim, enum wsfj_tier tier)
{
    (void)note(victim, tier);
    return victim == rich;
}

START_TEST(no_tier_starves)
{
    unsigned seen[WSFJ_TIER_COUNT] = {0}, first[64] = {0};

    make(WSFJ_VICTIM_NEAR, 3, 64);
    for (rich = 0; rich == 3 || tiers[rich] != (enum wsfj_tier)_i; rich++)
        ;
    memset(&record, 0, sizeof record);
    for (int round = 0; round < 200000; round++) {
        record.calls = 0;
        if (!round_with(note_rich))
            ck_abort_msg("round %d", round);
        first[record.victim[0]]++;
        for (unsigned i = 0; i < record.calls; i++)
            seen[record.tier[i]]++;
    }
    for (int tier = 0; tier < WSFJ_TIER_COUNT; tier++)
        ck_assert_msg(seen[tier] > 0, "tier %d", tier);
    ck_assert_uint_gt(first[rich], 200000 * 3 / 4); /* and mostly at the first visit */
    drop();
}
END_TEST

/* Catches: a thief that does not return to the victim that had work. */
START_TEST(the_last_success_is_tried_before_the_round)
{
    unsigned back = 0;

    make(WSFJ_VICTIM_NEAR, 0, 50);
    for (unsigned i = 0; i < 49 * 40; i++) {
        unsigned at = 1 + i % 49;

        ck_assert(!visit(0));
        ck_assert(visit(at));

        unsigned good = record.victim[at - 1];

        ck_assert(visit(1));
        back += record.victim[0] == good;
    }
    ck_assert_uint_ge(back, 49 * 40 * 8 / 10); /* 7 of 8 rounds */
    ck_assert_uint_lt(back, 49 * 40);
    drop();
}
END_TEST

/* Catches: a victim that failed stays the favourite. */
START_TEST(a_failed_round_forgets_the_last_success)
{
    unsigned first = 0;

    make(WSFJ_VICTIM_NEAR, 0, 50);
    for (int round = 0; round < 400; round++) {
        ck_assert(visit(49));

        unsigned good = record.victim[48];

        ck_assert(!visit(0));
        ck_assert(!visit(0));
        first += record.victim[0] == good;
    }
    ck_assert_uint_lt(first, 200);
    drop();
}
END_TEST

/* Catches: `uniform` that prefers a worker, by its start or by a bad shuffle; one that goes on to the next number. */
START_TEST(uniform_starts_with_anybody)
{
    unsigned firsts[33] = {0}, ascending = 0;
    const unsigned rounds = 32000;

    make(WSFJ_VICTIM_UNIFORM, 5, 33);
    for (unsigned i = 1; i < 33; i++)
        ascending += order.list[i] == (order.list[i - 1] + 1) % 33;
    ck_assert_uint_lt(ascending, 8);
    for (unsigned round = 0; round < rounds; round++) {
        ck_assert(visit(1));
        firsts[record.victim[0]]++;
    }
    for (unsigned i = 0; i < 33; i++)
        ck_assert_msg(i == 5 ? firsts[i] == 0 : firsts[i] > 800 && firsts[i] < 1200, "%u: %u", i, firsts[i]);
    drop();
}
END_TEST

/* Catches: lengths ignored, or the shortest first; a far queue before a near one of equal length. */
START_TEST(largest_begins_with_the_longest_deque)
{
    make(WSFJ_VICTIM_LARGEST, 5, 33);
    for (unsigned longest = 0; longest < 33; longest++) {
        if (longest == 5)
            continue;
        for (unsigned i = 0; i < 33; i++)
            lengths[i] = i % 7;
        lengths[longest] = 7;
        lengths[5] = 100; /* the thief's own length does not count */
        visit(0);
        ck_assert_uint_eq(record.victim[0], longest);
    }
    for (unsigned i = 0; i < 33; i++)
        lengths[i] = 7;
    visit(0);
    ck_assert_uint_eq(record.tier[0], WSFJ_TIER_CORE);
    drop();
}
END_TEST

/* Catches: a round that begins where the last one began: then it is not round-robin. */
START_TEST(round_robin_goes_on_where_it_stopped)
{
    make(WSFJ_VICTIM_ROUND_ROBIN, 5, 9);
    for (unsigned i = 0; i < 40; i++) {
        ck_assert(visit(1));
        ck_assert_uint_eq(record.victim[0], (5 + 1 + i % 8) % 9);
    }
    ck_assert(visit(3)); /* after worker 3 it goes on with worker 4 */
    ck_assert(visit(1));
    ck_assert_uint_eq(record.victim[0], 0);
    drop();
}
END_TEST

/* Catches: a fixed start, where two thieves chase each other; an off-by-one that never starts at a tier's end. */
START_TEST(any_victim_of_a_tier_may_be_its_first)
{
    static bool was_first[64];

    make(WSFJ_VICTIM_NEAR, 3, 64);
    memset(was_first, 0, sizeof was_first);
    for (int round = 0; round < 5000; round++) {
        visit(0);
        for (unsigned i = 0; i < record.calls; i++)
            if (i == 0 || record.tier[i] != record.tier[i - 1])
                was_first[record.victim[i]] = true;
    }
    for (unsigned i = 0; i < 64; i++)
        ck_assert(was_first[i] || i == 3);
    drop();
}
END_TEST

/* Catches: a tier's list with a wrong end when tiers are empty. */
START_TEST(a_machine_with_one_tier_is_visited_whole)
{
    for (unsigned i = 0; i < 8; i++) {
        near[i] = i;
        gap[i] = (enum wsfj_tier)_i;
    }
    wsfj_policy.victim = WSFJ_VICTIM_NEAR;
    memset(awake, -1, sizeof awake);
    make_victims(0, 8);
    ck_assert(!visit(0));
    ck_assert_uint_eq(record.calls, 7);
    for (unsigned i = 0; i < 7; i++)
        ck_assert_int_eq(record.tier[i], _i);
    drop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("victim");

    tcase_add_loop_test(tcase, a_round_visits_every_other_worker_exactly_once, 0, 5 * POLICIES);
    tcase_add_loop_test(tcase, a_round_visits_the_workers_that_are_awake, 0, 3 * POLICIES);
    tcase_add_test(tcase, sleepers_do_not_decide_who_is_first);
    tcase_add_test(tcase, near_victims_come_first_and_the_others_in_order);
    tcase_add_loop_test(tcase, no_tier_starves, 0, WSFJ_TIER_COUNT);
    tcase_add_test(tcase, the_last_success_is_tried_before_the_round);
    tcase_add_test(tcase, a_failed_round_forgets_the_last_success);
    tcase_add_test(tcase, uniform_starts_with_anybody);
    tcase_add_test(tcase, largest_begins_with_the_longest_deque);
    tcase_add_test(tcase, round_robin_goes_on_where_it_stopped);
    tcase_add_test(tcase, any_victim_of_a_tier_may_be_its_first);
    tcase_add_loop_test(tcase, a_machine_with_one_tier_is_visited_whole, 0, WSFJ_TIER_COUNT);
    return run_case("victim", tcase);
}
