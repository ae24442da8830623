/* SPDX-License-Identifier: MIT */
/*
 * Where and when loops run: the prediction of a site, thieves that come during a long iteration, tasks that wait behind
 * a loop; sections, pins, groups, yields, few stacks, children of fork(), threads. Neighbour: loops.c.
 */
#include "../support/flags.h"
#include "../support/process.h"
#include "loops.h"

#include <pthread.h>

static loops_hits hits;

#define PATIENCE_NS UINT64_C(30000000000) /* only a run that fails waits so long */

/* What iterations do. MEET: the first one to run waits until another worker has run one. */
enum { NOTHING, NAP, MEET };

static int first; /* where the first one runs: a worker's slot + 1 */
static int other; /* another worker has run one */
static long met;  /* iterations but the first */

static void meet(void)
{
    const int here = (int)ws_slot() + 1;
    const uint64_t end = now() + PATIENCE_NS;
    int none = 0;

    if (__atomic_compare_exchange_n(&first, &none, here, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        while (!is_raised(&other) && now() < end)
            sched_yield();
    } else {
        if (none != here)
            raise_flag(&other);
        add(&met, 1);
    }
}

static void act(long i, int what)
{
    if (what == NAP)
        nanosleep(&(struct timespec){0, i == 0 ? 40000000 : 1000000}, NULL);
    if (what == MEET)
        meet();
}

static WS_LOOP(of_loop, long, i, int, what)
{
    if (what)
        act(i, what);
}
static WS_LOOP_STATIC(of_slices, long, i, int, what)
{
    if (what)
        act(i, what);
}
static WS_LOOP2(of_plane, long, i, long, j, int, what)
{
    if (what)
        act(i + j, what);
}
static WS_LOOP3(of_box, long, i, long, j, long, k, int, what)
{
    if (what)
        act(i + j + k, what);
}
static WS_RANGE(of_range, long, from, to, int, what)
{
    for (; from < to && what; from++)
        act(from, what);
}
static WS_REDUCE(long, 0, WS_ADD, of_sum, long, i, int, what)
{
    if (what)
        act(i, what);
    return i;
}
static WS_REDUCE_ANY(long, 0, WS_ADD, of_any, long, i, int, what)
{
    if (what)
        act(i, what);
    return i;
}

static long run_kind(int kind, long n, int what)
{
    long sum = n * (n - 1) / 2;
    int error;

    switch (kind) {
    case 0: error = ws_for(of_loop, 0, n, what); break;
    case 1: error = ws_for(of_slices, 0, n, what); break;
    case 2: error = ws_for(of_plane, 0, n, 0, 1, what); break;
    case 3: error = ws_for(of_box, 0, 1, 0, n, 0, 1, what); break;
    case 4: error = ws_for(of_range, 0, n, what); break;
    case 5: error = ws_for(of_sum, &sum, 0, n, what); break;
    default: error = ws_for(of_any, &sum, 0, n, what); break;
    }
    return error ? -1 : sum;
}
#define KINDS 7

static WS_TASK(long, in_a_task, int, kind, long, n, int, what)
{
    /* While no thief waits for tasks, a wrong prediction costs nothing and is not noticed. */
    while (what == NAP && ws_num_workers() > 1 && !wsfj_asked(wsfj_self()))
        sched_yield();
    return run_kind(kind, n, what);
}

static void run_one(int kind, bool in_task, int what)
{
    long sum = -1;
    uint64_t begin = now();

    first = other = 0;
    met = 0;
    if (in_task)
        ck_assert_int_eq(ws_run(in_a_task, &sum, kind, 41, what), 0);
    else
        sum = run_kind(kind, 41, what);
    ck_assert_int_eq(sum, 820);
    ck_assert_int_eq(met, what == MEET ? 40 : 0);
    if (what == MEET)
        ck_assert_msg(now() - begin < PATIENCE_NS, "kind %d has run serially", kind);
}

/* Catches: a loop without a memory that keeps all iterations to itself while it runs the first. */
START_TEST(thieves_get_their_part_while_the_first_iteration_of_a_cold_loop_runs)
{
    start(2 + (size_t)_i % 2);
    for (int kind = 0; kind < KINDS; kind++)
        run_one(kind, _i / 2, MEET);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a site that goes on to predict a short run after one that took long. */
START_TEST(one_long_run_corrects_a_wrong_prediction)
{
    start(2);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int run = 0; run < 200; run++)
            run_one(kind, _i, NOTHING);
        run_one(kind, _i, NAP);
        run_one(kind, _i, MEET);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static int stop;

static void raise_stop(void *unused)
{
    (void)unused;
    raise_flag(&stop);
}

/* About a minute, unless the task comes. */
static WS_LOOP(until_stopped, long, i)
{
    if (i >= 0 && !is_raised(&stop))
        nanosleep(&(struct timespec){0, 100000}, NULL);
}
static WS_LOOP_STATIC(until_stopped_slices, long, i)
{
    if (i >= 0 && !is_raised(&stop))
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

static WS_TASK_VOID(submit_and_loop, int, is_static)
{
    stop = 0;
    ck_assert_int_eq(ws_submit(raise_stop, NULL), 0);
    if (is_static)
        until_stopped_slices(0, 1000000);
    else
        until_stopped(0, 1000000);
}

/* Catches: a loop that keeps all workers for itself: a detached task waits until its end (PREEMPT-1). */
START_TEST(a_detached_task_does_not_wait_for_the_end_of_a_loop)
{
    uint64_t begin = now();

    start(1 + (size_t)_i / 2);
    ck_assert_int_eq(ws_run(submit_and_loop, _i % 2), 0);
    ck_assert(is_raised(&stop));
    ck_assert_uint_lt(now() - begin, UINT64_C(45000000000));
    stop_runtime();
}
END_TEST

static WS_LOOP(simple, long, i, unsigned char *, h)
{
    loops_hit(&h[i]);
}
/* Seldom: on a busy machine each yield takes milliseconds. */
static WS_LOOP(yielding, long, i, unsigned char *, h)
{
    if (i % 128 == 0)
        ws_yield();
    loops_hit(&h[i]);
}
static WS_LOOP_STATIC(yielding_slices, long, i, unsigned char *, h)
{
    if (i % 128 == 0)
        ws_yield();
    loops_hit(&h[i]);
}
static WS_LOOP(blocking, long, i, unsigned char *, h)
{
    WS_BLOCKING
    {
        if (i % 64 == 0)
            nanosleep(&(struct timespec){0, 10000}, NULL);
        loops_hit(&h[i]);
        if (i % 512 == 0)
            (void)ws_for(simple, 20000 + i, 20000 + i + 512, h);
    }
}
static WS_REDUCE(long, 0, WS_ADD, yielding_sum, long, i, unsigned char *, h)
{
    if (i % 128 == 0)
        ws_yield();
    loops_hit(&h[i]);
    return i;
}

static WS_TASK_VOID(in_sections, unsigned char *, h)
{
    WS_BLOCKING
    {
        (void)ws_for(simple, 0, 5000, h);
        yielding(5000, 6000, h);
    }
    ws_pin();
    (void)ws_for(simple, 6000, 10000, h);
    yielding_slices(10000, 11000, h);
    ws_unpin();
}

static void detached(void *h)
{
    (void)ws_for(yielding, 11000, 13000, (unsigned char *)h);
    (void)ws_for(yielding_slices, 13000, 14000, (unsigned char *)h);
}

static WS_TASK(int, in_a_group, unsigned char *, h)
{
    ws_group group = WS_GROUP_INIT;
    int error = ws_group_submit(&group, detached, h);

    in_sections(h);
    return error ? error : ws_group_wait(&group);
}

/* Catches: a driver that does not survive a change of its thread or worker between two chunks. */
START_TEST(loops_run_in_sections_pins_and_groups_and_yield)
{
    start(workers[_i]);
    for (int run = 0; run < 5; run++) {
        int error = -1;
        long sum = 0;

        ck_assert_int_eq(ws_run(in_a_group, &error, hits), 0);
        ck_assert_int_eq(error, 0);
        loops_expect(hits, 14000);
        ck_assert_int_eq(ws_for(blocking, 0, 20000, hits), 0);
        for (long i = 20000; i < 20000 + 20480; i++)
            ck_assert_int_eq(hits[i], 1);
        memset(hits + 20000, 0, 20480);
        loops_expect(hits, 20000);
        ck_assert_int_eq(ws_for(yielding_sum, &sum, 0, 10000, hits), 0);
        ck_assert_int_eq(sum, 10000 * 9999 / 2);
        loops_expect(hits, 10000);
    }
    stop_runtime();
}
END_TEST

#define THREADS 8

static void *call_in(void *h)
{
    long sum = 0, wrong = 0;

    for (int run = 0; run < 50; run++) {
        wrong += ws_for(simple, run * 1000, (run + 1) * 1000, (unsigned char *)h);
        wrong += ws_for(yielding_slices, 50000 + run * 100, 50000 + (run + 1) * 100, (unsigned char *)h);
        wrong += ws_for(yielding_sum, &sum, 60000 + run * 100, 60000 + (run + 1) * 100, (unsigned char *)h);
    }
    return (void *)wrong;
}

/* Catches: sites, which the threads share, that make another thread's loop wrong. Each hit is counted by all threads. */
START_TEST(loops_run_from_many_threads)
{
    pthread_t threads[THREADS];
    void *wrong;

    start(workers[_i]);
    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, call_in, hits), 0);
    for (int t = 0; t < THREADS; t++) {
        ck_assert_int_eq(pthread_join(threads[t], &wrong), 0);
        ck_assert_ptr_null(wrong);
    }
    for (long i = 0; i < 65000; i++)
        if (hits[i] != (i < 55000 || i >= 60000 ? THREADS : 0))
            ck_abort_msg("iteration %ld has run %d times", i, hits[i]);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static int loop_there(long unused)
{
    long sum = 0;

    (void)unused;
    memset(hits, 0, sizeof hits);
    if (ws_for(simple, 0, 50000, hits) || ws_run(yielding_slices, 50000, 60000, hits) ||
        ws_run(yielding_sum, &sum, 60000, 70000, hits))
        return 2;
    for (long i = 0; i < 70000; i++)
        if (hits[i] != 1)
            return 3;
    return ws_fini();
}

/* Catches: a loop that hangs or runs wrong in a child, where the parent's workers are missing. */
START_TEST(loops_run_in_the_child_of_a_fork)
{
    struct outcome o;

    start(workers[_i]);
    ck_assert_int_eq(loop_there(0), 0);
    start(workers[_i]);
    ck_assert_int_eq(ws_for(simple, 0, 100000, hits), 0);
    o = in_child(loop_there, 0);
    expect_exit(&o, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a loop that needs a stack, or the barrier, or a known number of workers. */
START_TEST(loops_run_with_few_stacks_without_membarrier_and_with_many_workers)
{
    static const size_t numbers[] = {2, 2, 70};
    ws_config config;

    if (_i == 1)
        setenv("WSFJ_MEMBARRIER", "0", 1);
    ws_config_default(&config);
    config.num_workers = numbers[_i];
    if (_i == 0)
        config.max_stacks = 2;
    ck_assert_int_eq(ws_init(&config), 0);
    for (int run = 0; run < 20; run++) {
        long sum = 0;

        ck_assert_int_eq(ws_run(simple, 0, 100000, hits), 0);
        loops_expect(hits, 100000);
        ck_assert_int_eq(ws_run(yielding_slices, 0, 5000, hits), 0);
        loops_expect(hits, 5000);
        ck_assert_int_eq(ws_run(yielding_sum, &sum, 0, 5000, hits), 0);
        ck_assert_int_eq(sum, 5000 * 4999 / 2);
        loops_expect(hits, 5000);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a static loop that always takes other slices than its worker's. */
START_TEST(slices_go_to_their_workers)
{
    struct ws_stats stats;

    start(2);
    for (int run = 0; run < 20; run++) {
        ck_assert_int_eq(ws_run(until_stopped_slices, 0, 40), 0); /* stop is raised by none: 4 ms */
    }
    stats = read_stats();
    ck_assert_uint_eq(stats.slices, 40);
    ck_assert_uint_gt(stats.slices_home, 0);
    ck_assert_uint_le(stats.slices_home, 40);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: children that thieves have taken and that nobody counts, or that count although the driver took them back. */
START_TEST(lines_that_thieves_take_are_counted)
{
    start(1 + (size_t)_i);
    run_one(0, true, _i ? MEET : NAP);
    if (_i)
        ck_assert_uint_gt(read_stats().splits, 0);
    else
        ck_assert_uint_eq(read_stats().splits, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("loops_where");

    tcase_add_loop_test(tcase, thieves_get_their_part_while_the_first_iteration_of_a_cold_loop_runs, 0, 4);
    tcase_add_loop_test(tcase, one_long_run_corrects_a_wrong_prediction, 0, 2);
    tcase_add_loop_test(tcase, a_detached_task_does_not_wait_for_the_end_of_a_loop, 0, 4);
    tcase_add_loop_test(tcase, loops_run_in_sections_pins_and_groups_and_yield, 0, WORKERS);
    tcase_add_loop_test(tcase, loops_run_from_many_threads, 0, WORKERS);
    if (can_test("loops_run_in_the_child_of_a_fork",
                 SANITIZED_THREAD ? "ThreadSanitizer allows no new threads after a fork" : NULL))
        tcase_add_loop_test(tcase, loops_run_in_the_child_of_a_fork, 0, WORKERS);
    tcase_add_loop_test(tcase, loops_run_with_few_stacks_without_membarrier_and_with_many_workers, 0, 3);
    tcase_add_test(tcase, slices_go_to_their_workers);
    tcase_add_loop_test(tcase, lines_that_thieves_take_are_counted, 0, 3);
    return run_case("loops_where", tcase);
}
