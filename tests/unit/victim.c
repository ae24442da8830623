/* SPDX-License-Identifier: MIT */
/* The order of victims: lib/victim.h. */
#include "victim.h"

#include "../run.h"
#include <stdlib.h>
#include <string.h>

#define MOST 1000

/* What the visits of one round recorded. */
struct record {
    unsigned calls, succeed_at; /* the call that returns true; 0: none */
    unsigned victim[2 * MOST];
    enum wsfj_tier tier[2 * MOST];
};

static struct record record;
static unsigned char tiers[MOST];
static struct wsfj_victims victims;
static uint64_t seed = 88172645463325252u;

static bool note(void *context, unsigned victim, enum wsfj_tier tier)
{
    struct record *r = context;

    if (r->calls < sizeof r->victim / sizeof *r->victim) {
        r->victim[r->calls] = victim;
        r->tier[r->calls] = tier;
    }
    return ++r->calls == r->succeed_at;
}

static bool visit(unsigned succeed_at)
{
    memset(&record, 0, sizeof record);
    record.succeed_at = succeed_at;
    return wsfj_victims_visit(&victims, &seed, note, &record);
}

/* `n` workers whose distances run through all tiers, unevenly. */
static void make(unsigned self, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        tiers[i] = (unsigned char)((i * 7 + i / 5) % WSFJ_TIER_COUNT);
    ck_assert(wsfj_victims_make(&victims, self, n, tiers));
}

/* Catches: a round that leaves somebody out (a worker's tasks then starve), tries one twice, or steals from itself. */
START_TEST(a_round_visits_every_other_worker_exactly_once)
{
    static const unsigned counts[] = {1, 2, 3, 17, 1000};
    unsigned n = counts[_i];

    for (unsigned self = 0; self < n; self += n / 3 + 1) {
        unsigned visits[MOST] = {0};

        make(self, n);
        ck_assert_uint_eq(victims.count, n - 1);
        ck_assert(!visit(0));
        ck_assert_uint_eq(record.calls, n - 1);
        for (unsigned i = 0; i < record.calls; i++) {
            ck_assert_uint_lt(record.victim[i], n);
            visits[record.victim[i]]++;
        }
        for (unsigned i = 0; i < n; i++)
            ck_assert_uint_eq(visits[i], i != self);
        wsfj_victims_free(&victims);
    }
}
END_TEST

/* Catches: far victims before near ones, and a tier reported for the statistics that is not the victim's. */
START_TEST(near_victims_come_before_far_ones)
{
    make(3, 64);
    for (int round = 0; round < 100; round++) {
        visit(0);
        for (unsigned i = 0; i < record.calls; i++) {
            ck_assert_int_eq(record.tier[i], tiers[record.victim[i]]);
            if (i)
                ck_assert_int_ge(record.tier[i], record.tier[i - 1]);
        }
    }
    wsfj_victims_free(&victims);
}
END_TEST

/* Catches: a thief that does not come back to where there was work. */
START_TEST(the_last_success_is_tried_before_the_round)
{
    make(0, 50);
    for (unsigned at = 1; at < 50; at++) {
        ck_assert(visit(at));
        ck_assert_uint_eq(record.calls, at);

        unsigned good = record.victim[at - 1];

        ck_assert(visit(1));
        ck_assert_uint_eq(record.calls, 1);
        ck_assert_uint_eq(record.victim[0], good);
        ck_assert_int_eq(record.tier[0], tiers[good]);
        ck_assert(!visit(0)); /* in vain there: a full round follows */
        ck_assert_uint_eq(record.calls, 50);
        ck_assert_uint_eq(record.victim[0], good);
    }
    wsfj_victims_free(&victims);
}
END_TEST

/* Catches: a victim that failed remains the favourite. */
START_TEST(a_failed_round_forgets_the_last_success)
{
    make(0, 50);
    ck_assert(visit(20));
    ck_assert(!visit(0));
    ck_assert(!visit(0));
    ck_assert_uint_eq(record.calls, 49);
    wsfj_victims_free(&victims);
}
END_TEST

/* Catches: a fixed start, where two thieves chase each other, and an off-by-one that never starts at a tier's end. */
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
    wsfj_victims_free(&victims);
}
END_TEST

/* Catches: a tier's list that ends at the wrong place when tiers are empty. */
START_TEST(a_machine_with_one_tier_is_visited_whole)
{
    memset(tiers, _i, sizeof tiers);
    ck_assert(wsfj_victims_make(&victims, 0, 8, tiers));
    ck_assert(!visit(0));
    ck_assert_uint_eq(record.calls, 7);
    for (unsigned i = 0; i < 7; i++)
        ck_assert_int_eq(record.tier[i], _i);
    wsfj_victims_free(&victims);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("victim");

    tcase_add_loop_test(tcase, a_round_visits_every_other_worker_exactly_once, 0, 5);
    tcase_add_test(tcase, near_victims_come_before_far_ones);
    tcase_add_test(tcase, the_last_success_is_tried_before_the_round);
    tcase_add_test(tcase, a_failed_round_forgets_the_last_success);
    tcase_add_test(tcase, any_victim_of_a_tier_may_be_its_first);
    tcase_add_loop_test(tcase, a_machine_with_one_tier_is_visited_whole, 0, WSFJ_TIER_COUNT);
    return run_case("victim", tcase);
}
