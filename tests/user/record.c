/* SPDX-License-Identifier: MIT */
/* WSFJ_RECORD: the graph of a profiled program has the work, the tasks and, in units, the span that the profile has.
 * Neighbours: record_loops.c, record_detached.c, record_file.c; unit/graph.c, what the reader refuses. */
#undef WSFJ_DEBUG /* some shapes return without ws_sync(), which it reports */
#include "record.h"

#include <time.h>

/* Catches: a strand that is lost or stands twice, a child in the wrong scope, a sync that is missing. */
START_TEST(fib_has_its_work_and_its_span)
{
    struct profile p = record_of(run_fib, _i, true);

    ck_assert_double_eq(sums.span, p.row[0].span);
    ck_assert_uint_eq(sums.tasks, p.row[0].count + 1);
    ck_assert_uint_eq(graph.num_regions, 1);
}
END_TEST

/* Catches: equal subtrees that are not shared. fib(24) has 75024 spawns. */
START_TEST(equal_subtrees_are_one)
{
    (void)record_of(run_fib, 24, true);
    ck_assert_uint_lt(graph.num_nodes, 60);
    ck_assert_uint_eq(sums.tasks, 75025);
}
END_TEST

/* Catches: lengths whose rounding adds up, strands with a mean that do not count. */
START_TEST(measured_work_is_all_there)
{
    struct profile p = record_of(run_fib, 20, false);

    ck_assert_uint_eq(sums.tasks, p.row[0].count + 1);
    ck_assert_uint_eq(p.row[0].count, 10945);
}
END_TEST

static void busy(long us)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

static WS_TASK_VOID(works, long, us)
{
    busy(us);
}

/* Lengths of different octaves. */
static WS_TASK_VOID(uneven, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(works, 3 + (i * 37) % 500);
    ws_sync();
    busy(50);
}

static int run_uneven(long n)
{
    return ws_run(uneven, n);
}

/* Catches: a long strand that gets a mean; a remainder that is carried on and lost. The longest child takes 499 us. */
START_TEST(long_strands_have_their_own_lengths)
{
    (void)record_of(run_uneven, 300, false);
    ck_assert_double_ge(sums.span, 499e3 * 0.85);
    ck_assert_double_ge(sums.work, 300 * 200e3);
    ck_assert_uint_eq(sums.tasks, 301);
}
END_TEST

static WS_TASK_VOID(flat, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(leaf);
    ws_sync();
    {
        ws_frame();
        ws_spawn(leaf);
        ws_call(leaf);
    }
    for (long i = 0; i < n; i++) {
        ws_spawn(fib, NULL, i % 3);
        if (i % 7 == 0)
            ws_sync();
    }
}

static int run_flat(long n)
{
    return ws_run(flat, n);
}

/* Catches: a list that loses items when it is folded, a repetition that counts once. */
START_TEST(long_lists_are_short)
{
    struct profile p = record_of(run_flat, 30000, true);

    ck_assert_double_eq(sums.span, p.row[0].span);
    ck_assert_uint_eq(sums.tasks, 1 + 30000 + 1 + 30000 + 10000); /* fib(2) spawns one */
    ck_assert_uint_lt(graph.num_nodes, 300);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("record");

    tcase_add_loop_test(tcase, fib_has_its_work_and_its_span, 0, 16);
    tcase_add_test(tcase, equal_subtrees_are_one);
    tcase_add_test(tcase, measured_work_is_all_there);
    tcase_add_test(tcase, long_strands_have_their_own_lengths);
    tcase_add_test(tcase, long_lists_are_short);
    return run_records("record", tcase);
}
