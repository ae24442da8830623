/* SPDX-License-Identifier: MIT */
/* How many search and sleep: lib/census.c. Neighbour: stress/search.c, the same of a runtime that works. */
#include "census.h"
#include "worker.h"

#include "../run.h"

static void expect(unsigned searching, unsigned sleeping)
{
    struct wsfj_census now = wsfj_census();

    ck_assert_uint_eq(now.searching, searching);
    ck_assert_uint_eq(now.sleeping, sleeping);
}

/* Of so many workers these search and those sleep; the rest is busy. */
static void start(unsigned workers, unsigned searching, unsigned sleeping)
{
    wsfj_num_workers = workers;
    wsfj_census_start(searching + sleeping);
    for (unsigned i = 0; i < sleeping; i++)
        (void)wsfj_census_fall_asleep(true);
    expect(searching, sleeping);
}

/* Catches: each spawn wakes a sleeper, though others search already; a claim on somebody who is awake. */
START_TEST(no_more_are_woken_than_may_search)
{
    start(8, 0, 3);
    ck_assert(wsfj_census_claim_searcher(1));
    expect(1, 2);
    ck_assert(!wsfj_census_claim_searcher(1));
    expect(1, 2);
    ck_assert(wsfj_census_claim_searcher(3));
    ck_assert(wsfj_census_claim_searcher(3));
    expect(3, 0);
    ck_assert(!wsfj_census_claim_searcher(UINT32_MAX));
    expect(3, 0);
    ck_assert_uint_eq(wsfj_census_remove_searchers(2).searching, 1);
}
END_TEST

static bool never(void)
{
    return false;
}

static bool always(void)
{
    return true;
}

/* Catches: more than half of the busy ones search; nobody does where few are busy; in a phase not all. */
START_TEST(half_of_the_busy_search_or_one)
{
    static const struct {
        unsigned workers, searching, sleeping; /* and one that asks: it is neither, and busy no more */
        bool may;
    } cases[] = {
        {1, 0, 0, true},  {2, 0, 0, true},  {2, 1, 0, false}, {4, 0, 3, true},   {8, 1, 3, false}, {8, 1, 2, true},
        {8, 2, 0, false}, {8, 3, 0, false}, {33, 7, 9, true}, {33, 8, 9, false}, {33, 16, 0, false},
    };

    start(cases[_i].workers, cases[_i].searching, cases[_i].sleeping);
    ck_assert_int_eq(wsfj_census_begin_search(never), cases[_i].may);
    expect(cases[_i].searching + cases[_i].may, cases[_i].sleeping);
    start(cases[_i].workers, cases[_i].searching, cases[_i].sleeping);
    ck_assert(wsfj_census_begin_search(always));
}
END_TEST

/* Catches: a sleeper whose place a guest takes, counted still; two guests for one. */
START_TEST(a_place_is_claimed_once)
{
    start(2, 0, 1);
    ck_assert(wsfj_census_claim_place());
    expect(0, 0);
    ck_assert(!wsfj_census_claim_place());
    (void)wsfj_census_fall_asleep(false);
    expect(0, 1);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("census");

    tcase_add_test(tcase, no_more_are_woken_than_may_search);
    tcase_add_loop_test(tcase, half_of_the_busy_search_or_one, 0, 11);
    tcase_add_test(tcase, a_place_is_claimed_once);
    return run_case("census", tcase);
}
