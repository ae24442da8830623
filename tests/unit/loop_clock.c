/* SPDX-License-Identifier: MIT */
/* The clock that watches loops which are predicted to be short: kept by a searching worker, or the kernel's (idle/loop_clock.c). */
#include "idle/idle_counts.h"
#include "idle/loop_clock.h"
#include "worker/workers.h"

#include "../support/run.h"

#define TICK (UINT64_C(1) << 16)

static void two_workers(void)
{
    wsfj_num_workers = 2;
    wsfj_idle_counts_start(0);
}

/* Catches: a tick too early or too late; one worker, whose loops nobody else could run. */
START_TEST(a_run_is_late_after_two_ticks)
{
    uint64_t began;

    two_workers();
    wsfj_idle_counts_add_searcher();
    wsfj_loop_show_time(5 * TICK);
    began = wsfj_loop_clock();
    ck_assert_int_eq(wsfj_loop_late(began), 0);
    wsfj_loop_show_time(6 * TICK);
    ck_assert_int_eq(wsfj_loop_late(began), 0);
    wsfj_loop_show_time(7 * TICK);
    ck_assert_int_eq(wsfj_loop_late(began), 1);
    wsfj_num_workers = 1;
    ck_assert_int_eq(wsfj_loop_late(began), 0);
    ck_assert_uint_eq(wsfj_loop_clock(), 0); /* and no clock is read */
}
END_TEST

/* Catches: one clock at the beginning and another at the end, whose difference says nothing; a clock that stands still. */
START_TEST(a_run_has_one_clock_until_that_stops)
{
    uint64_t began;

    two_workers();
    began = wsfj_loop_clock();
    wsfj_idle_counts_add_searcher();
    wsfj_loop_show_time(5 * TICK);
    ck_assert_int_eq(wsfj_loop_late(began), 0);
    began = wsfj_loop_clock();
    (void)wsfj_idle_counts_remove_searcher();
    ck_assert_int_eq(wsfj_loop_late(began), 1);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("loop_clock");

    tcase_add_test(tcase, a_run_is_late_after_two_ticks);
    tcase_add_test(tcase, a_run_has_one_clock_until_that_stops);
    return run_case("loop_clock", tcase);
}
