/* SPDX-License-Identifier: MIT */
/* A program of files with and without WSFJ_PROFILE: all its results are right, what runs in the parallel runtime is not
 * profiled, and what is profiled is right. Neighbour: profile_other.c, the file without. */
#include "../support/sanitizer.h"
#include "profile.h"
#include "profile_other.h"

#include <stdatomic.h>

static atomic_long ran, wrong;

static WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static void count(void *unused)
{
    (void)unused;
    ran++;
}

/* All that is profiled elsewhere, in a task of the parallel runtime. */
static void everything(void *unused)
{
    ws_group g = WS_GROUP_INIT;
    long r = 0;

    (void)unused;
    wrong += fib(10) != 55;
    wrong += ws_run(fib, &r, 11) != 0 || r != 89;
    {
        ws_frame();
        ws_spawn(fib, &r, 12);
        ws_sync();
        wrong += r != 144;
    }
    wrong += ws_group_submit(&g, count, NULL) != 0 || ws_submit(count, NULL) != 0 || ws_group_wait(&g) != 0;
    WS_BLOCKING
    {
        usleep(100);
    }
    ws_yield();
    wrong += ws_worker_id() < 0 || ws_worker_id() > 3;
}

static int run_inside_others(long n)
{
    int error = other_run(n, everything, NULL);

    while (!error && ran < 2 * n)
        usleep(1000); /* those in no group */
    return error || wrong || ran != 2 * n;
}

#define LINE                                                                                                           \
    "libwsfj: tasks compiled with -DWSFJ_PROFILE run inside tasks compiled without it: these are not profiled\n"

/* Catches: an account that is used by another thread after a steal, a waiter for a group that is not woken. */
START_TEST(inside_tasks_of_others_nothing_is_profiled)
{
    struct profile p = profile_of(run_inside_others, 500, "1", "4");

    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, LINE);
    ck_assert_int_eq(p.rows, -1);
}
END_TEST

static WS_TASK(int, calls_others, long, n)
{
    long r = -1;
    int error;

    ws_spawn(fib, &r, 5);
    error = other_run(n, everything, NULL);
    error |= other_fib(20) != 6765;
    ws_sync();
    return error || r != 5 || ws_worker_id() != 0;
}

static int run_calls_others(long n)
{
    int error = 1;

    if (ws_run(calls_others, &error, n) || error)
        return 1;
    while (ran < 2 * n)
        usleep(1000);
    return wrong != 0;
}

/* Catches: the tasks of a region of others, which run on this thread, counted as its own. */
START_TEST(regions_of_others_are_not_counted)
{
    struct profile p = profile_of(run_calls_others, 200, "1", "4");

    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, LINE);
    ck_assert_double_eq(p.row[0].work, 1 + 15);
    ck_assert_double_eq(p.row[0].span, 1 + 5);
    ck_assert_uint_eq(p.row[0].count, 1 + 7);
}
END_TEST

static WS_TASK(int, shares_groups, long, n)
{
    ws_group g = WS_GROUP_INIT;
    int error = 0;

    for (long i = 0; i < n; i++) {
        error |= ws_group_submit(&g, count, NULL);
        error |= other_group_submit(&g, count, NULL);
        error |= i % 2 ? ws_group_wait(&g) : other_group_wait(&g);
        error |= ran != 2 * i + 2;
    }
    return error;
}

static int run_shares_groups(long n)
{
    int error = 1;

    return ws_run(shares_groups, &error, n) || error;
}

/* Catches: a wait for ever, or one that does not wait, where one kind of file waits for the other one's tasks. */
START_TEST(groups_may_be_shared)
{
    struct profile p = profile_of(run_shares_groups, 300, "1", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, "");
    ck_assert_double_eq(p.row[0].work, 1 + 300);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_mixed");

    /* Thread-local variables of profile.h, read on a task's stack. */
    if (can_test("tasks of both kinds",
                 SANITIZED_THREAD ? "it takes stacks for threads, which read each other's variables" : NULL)) {
        tcase_add_test(tcase, inside_tasks_of_others_nothing_is_profiled);
        tcase_add_test(tcase, regions_of_others_are_not_counted);
    }
    tcase_add_test(tcase, groups_may_be_shared);
    return run_case("profile_mixed", tcase);
}
