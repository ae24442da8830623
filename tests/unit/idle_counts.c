/* SPDX-License-Identifier: MIT */
/* How many workers search and sleep: lib/idle/idle_counts.c. Neighbour: stress/search.c, the same in a working
 * runtime. */
#include "idle/idle_counts.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include "../support/run.h"

static void expect(unsigned searching, int sleeping)
{
    struct wsfj_idle_counts now = wsfj_idle_counts();

    ck_assert_uint_eq(now.searching, searching);
    ck_assert_int_eq(now.sleeping, sleeping);
}

/* Of `workers` workers some search and some sleep; the others are busy. */
static void start(unsigned workers, unsigned searching, unsigned sleeping)
{
    wsfj_num_workers = workers;
    wsfj_idle_counts_start(searching + sleeping);
    for (unsigned i = 0; i < sleeping; i++)
        wsfj_idle_counts_fall_asleep(true);
    expect(searching, (int)sleeping);
}

/* Catches: a spawn that wakes a sleeper though others search already; a claim that succeeds without a sleeper. */
START_TEST(no_more_are_woken_than_may_search)
{
    start(8, 0, 3);
    ck_assert(wsfj_idle_counts_claim_searcher(1));
    wsfj_idle_counts_take_sleeper();
    expect(1, 2);
    ck_assert(!wsfj_idle_counts_claim_searcher(1));
    expect(1, 2);
    for (int i = 1; i >= 0; i--) {
        ck_assert(wsfj_idle_counts_claim_searcher(3));
        wsfj_idle_counts_take_sleeper();
        expect(3 - (unsigned)i, i);
    }
    ck_assert(!wsfj_idle_counts_claim_searcher(UINT32_MAX));
    expect(3, 0);
    ck_assert_uint_eq(wsfj_idle_counts_remove_searcher().searching, 2);
    expect(2, 0);
}
END_TEST

/* Catches: a sleeper that is taken before it is counted, so that the count falls below zero: it reads as four billion
 * sleepers, or borrows from the searchers. */
START_TEST(fewer_than_none_may_sleep_for_a_moment)
{
    start(8, 2, 0);
    wsfj_idle_counts_take_sleeper();
    expect(2, -1);
    ck_assert(!wsfj_idle_counts_claim_searcher(UINT32_MAX));
    ck_assert_uint_eq(wsfj_idle_counts_most_searching(wsfj_idle_counts(), 0),
                      wsfj_idle_counts_most_searching((struct wsfj_idle_counts){2, 0}, 0));
    wsfj_idle_counts_fall_asleep(true);
    expect(1, 0);
    wsfj_idle_counts_fall_asleep(false);
    expect(1, 1);
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

/* Catches: more searchers than half of the busy workers; none where few are busy; in a phase, not all of them. */
START_TEST(half_of_the_busy_search_or_one)
{
    static const struct {
        unsigned workers, searching,
            sleeping; /* and one more, which asks: it is neither of these, and no longer busy */
        bool may;
    } cases[] = {
        {1, 0, 0, true},  {2, 0, 0, true},  {2, 1, 0, false}, {4, 0, 3, true},   {8, 1, 3, false},   {8, 1, 2, true},
        {8, 2, 0, false}, {8, 3, 0, false}, {33, 7, 9, true}, {33, 8, 9, false}, {33, 16, 0, false},
    };

    start(cases[_i].workers, cases[_i].searching, cases[_i].sleeping);
    ck_assert_int_eq(wsfj_idle_counts_begin_search(never), cases[_i].may);
    expect(cases[_i].searching + cases[_i].may, (int)cases[_i].sleeping);
    start(cases[_i].workers, cases[_i].searching, cases[_i].sleeping);
    ck_assert(wsfj_idle_counts_begin_search(always));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("idle_counts");

    tcase_add_test(tcase, no_more_are_woken_than_may_search);
    tcase_add_loop_test(tcase, half_of_the_busy_search_or_one, 0, 11);
    tcase_add_test(tcase, fewer_than_none_may_sleep_for_a_moment);
    return run_case("idle_counts", tcase);
}
