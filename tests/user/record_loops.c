/* SPDX-License-Identifier: MIT */
/* Loops in a record. Neighbour: record.c. */
#undef WSFJ_DEBUG /* some shapes return without ws_sync(), which it reports */
#include "record.h"

static WS_LOOP(empty, long, i)
{
    (void)i;
}

static WS_LOOP(spawning, long, i, long, n)
{
    ws_spawn(fib, NULL, 3);
    ws_call(empty, 0, n);
    (void)i;
}

static WS_LOOP2(plane, long, i, int, j)
{
    (void)i;
    (void)j;
}

static WS_TASK_VOID(loops)
{
    ws_call(leaf);
    ws_call(empty, 0, 1000);
    ws_spawn(spawning, 0, 10, 6);
    ws_call(plane, 0, 30, 0, 40);
    ws_call(empty, 0, 1);
    ws_sync();
}

static int run_loops(long unused)
{
    (void)unused;
    return ws_run(loops);
}

/* Catches: a half that counts as a task, iterations that are lost, an inner loop that becomes part of the outer one. A loop of
 * one block stays what it is: work. */
START_TEST(a_loop_is_one_node)
{
    (void)record_of(run_loops, 0, true);
    ck_assert_uint_eq(count_items(GRAPH_LOOP, false), 1 + 1 + 10 + 1);
    ck_assert_uint_eq(count_items(GRAPH_RUN, true), 1000 + 10 + 10 * 6 + 30 * 40);
    ck_assert_uint_eq(sums.tasks, 1 + 1 + 10 * (1 + 2)); /* fib(3) spawns two */
}
END_TEST

static WS_LOOP(nesting, long, i, long, n)
{
    ws_call(empty, 0, n);
    (void)i;
}

static int run_nesting(long n)
{
    return ws_run(nesting, 0, 10, n);
}

/* Catches: an inner loop that an iteration begins with, and that becomes part of the outer one. */
START_TEST(a_loop_in_a_loop_is_its_own)
{
    (void)record_of(run_nesting, 6, true);
    ck_assert_uint_eq(count_items(GRAPH_LOOP, false), 1 + 10);
    ck_assert_uint_eq(count_items(GRAPH_RUN, true), 10 + 10 * 6);
    ck_assert_uint_eq(sums.tasks, 1);
}
END_TEST

static volatile double sink;

static WS_LOOP(adds, long, i, long, n)
{
    double sum = 0;

    for (long j = 0; j < n; j++)
        sum += (double)(i ^ j);
    sink = sum;
}

static int run_adds(long n)
{
    return ws_run(adds, 0, n, 100);
}

/* Catches: blocks of many iterations that count as one. */
START_TEST(measured_loops_have_all_iterations)
{
    (void)record_of(run_adds, 100000, false);
    ck_assert_uint_eq(count_items(GRAPH_LOOP, false), 1);
    ck_assert_uint_eq(count_items(GRAPH_RUN, true), 100000);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("record_loops");

    tcase_add_test(tcase, a_loop_is_one_node);
    tcase_add_test(tcase, a_loop_in_a_loop_is_its_own);
    tcase_add_test(tcase, measured_loops_have_all_iterations);
    return run_records("record_loops", tcase);
}
