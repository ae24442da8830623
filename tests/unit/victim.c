/* SPDX-License-Identifier: MIT */
/* The order of victims: lib/worker/victim.h. */
#include "victims.h"

START_TEST(a_round_visits_every_other_worker_exactly_once)
{
    check_every_other_worker_once(round_counts[_i]);
}
END_TEST

START_TEST(a_round_visits_the_workers_that_are_awake)
{
    check_those_awake(_i);
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

    make(3, 64);
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

    make(3, 64);
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

    make(0, 50);
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

    make(0, 50);
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

/* Catches: a fixed start, where two thieves chase each other; an off-by-one that never starts at a tier's end. */
START_TEST(any_victim_of_a_tier_may_be_its_first)
{
    static bool was_first[64];

    make(3, 64);
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

    tcase_add_loop_test(tcase, a_round_visits_every_other_worker_exactly_once, 0, ROUND_COUNTS);
    tcase_add_loop_test(tcase, a_round_visits_the_workers_that_are_awake, 0, AWAKE_SETS);
    tcase_add_test(tcase, sleepers_do_not_decide_who_is_first);
    tcase_add_test(tcase, near_victims_come_first_and_the_others_in_order);
    tcase_add_loop_test(tcase, no_tier_starves, 0, WSFJ_TIER_COUNT);
    tcase_add_test(tcase, the_last_success_is_tried_before_the_round);
    tcase_add_test(tcase, a_failed_round_forgets_the_last_success);
    tcase_add_test(tcase, any_victim_of_a_tier_may_be_its_first);
    tcase_add_loop_test(tcase, a_machine_with_one_tier_is_visited_whole, 0, WSFJ_TIER_COUNT);
    return run_case("victim", tcase);
}
