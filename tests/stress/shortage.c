/* SPDX-License-Identifier: MIT */
/*
 * Tasks that wait, in ws_yield() or for groups, hold all stacks, and wait for a task that has none: it runs all the
 * same. Neighbours: limits.c, shortages of memory and threads; submit.c.
 */
#include "../support/runtime.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define TIMES (SANITIZED ? 1000L : 20000L)
#define MORE 3 /* tasks more than stacks */

static const size_t worker_counts[] = {1, 2, 8};
#define COUNTS ((int)(sizeof worker_counts / sizeof *worker_counts))
#define MOST_STACKS 3

static ws_group group, waiters;
static atomic_int gate, waiting;
static atomic_long ran;

/* The i-th of COUNTS * MOST_STACKS settings. Returns the limit on stacks. */
static size_t start(int i)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = worker_counts[i % COUNTS];
    config.max_stacks = 1 + (size_t)i / COUNTS;
    ck_assert_int_eq(ws_init(&config), 0);
    return config.max_stacks;
}

static void stop(size_t stacks)
{
    ck_assert_uint_le(read_stats().stacks, stacks);
    ck_assert_int_eq(ws_fini(), 0);
}

static void open_gate(void *arg)
{
    (void)arg;
    atomic_store(&gate, 1);
}

static void yield_until_open(void *arg)
{
    (void)arg;
    atomic_fetch_add(&waiting, 1);
    while (!atomic_load(&gate))
        ws_yield();
}

/* Catches: a queued task that no worker can ever begin, because the tasks that hold the stacks wait for it. */
START_TEST(tasks_that_yield_let_one_without_a_stack_run)
{
    size_t stacks = start(_i);

    for (size_t i = 0; i < stacks + MORE; i++)
        ck_assert_int_eq(ws_group_submit(&waiters, yield_until_open, NULL), 0);
    while (atomic_load(&waiting) < (int)stacks)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    ck_assert_int_eq(ws_group_submit(&group, open_gate, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&waiters), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop(stacks);
}
END_TEST

/* Yields from the depths of a recursion that leaves little of the stack. */
static long use_up(long depth)
{
    char some[1 << 10];
    long below;

    __asm__ volatile("" : : "r"(some) : "memory");
    if (depth == 0) {
        yield_until_open(NULL);
        return 0;
    }
    below = use_up(depth - 1);
    __asm__ volatile("" : "+r"(below));
    return below + 1;
}

static void yield_from_the_depths(void *arg)
{
    (void)arg;
    if (use_up(3 << 10) != 3 << 10) /* of 8 MiB at least 3 */
        abort();
}

/* Catches: tasks called on one stack, each on top of the last, until the stack ends. */
START_TEST(not_more_are_called_on_a_stack_than_it_bears)
{
    size_t stacks = start(_i);

    for (size_t i = 0; i < stacks + MORE; i++)
        ck_assert_int_eq(ws_group_submit(&waiters, yield_from_the_depths, NULL), 0);
    while (atomic_load(&waiting) < (int)stacks)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    open_gate(NULL);
    ck_assert_int_eq(ws_group_wait(&waiters), 0);
    stop(stacks);
}
END_TEST

static void keep_the_stack(void *arg)
{
    (void)arg;
    atomic_store(&waiting, 1);
    while (!atomic_load(&gate))
        sched_yield();
}

static WS_TASK_VOID(do_nothing)
{
}

/* Catches: a caller that finds no stack for its root and keeps the worker's slot: after as many such callers as there
 * are workers the next one waits for ever; a worker that finds no stack for a queued root and does not tell the
 * caller. The task keeps the only stack until the root is done. Odd _i: the other worker does not sleep, so the root
 * is queued. */
START_TEST(a_root_without_a_stack_runs_on_its_callers)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    config.max_stacks = 1;
    config.spin_us = 0;
    ck_assert_int_eq(ws_init(&config), 0);
    if (_i)
        ck_assert_int_eq(ws_phase_begin(), 0);
    for (int i = 0; i < 20; i++) {
        atomic_store(&gate, 0);
        atomic_store(&waiting, 0);
        ck_assert_int_eq(ws_group_submit(&group, keep_the_stack, NULL), 0);
        while (!atomic_load(&waiting))
            sched_yield();
        nanosleep(&(struct timespec){0, 2000000}, NULL); /* now the other worker mostly sleeps */
        ck_assert_int_eq(ws_run(do_nothing), 0);
        open_gate(NULL);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    }
    if (_i)
        ck_assert_int_eq(ws_phase_end(), 0);
    stop(1);
}
END_TEST

static void note_rounding(void *rounding)
{
    *(int *)rounding = fegetround();
    fesetround(FE_DOWNWARD);
    open_gate(NULL);
}

/* The rounding mode after it has called what it waits for. */
static WS_TASK(int, yield_for_one, int *, rounding)
{
    if (ws_group_submit(&group, note_rounding, rounding) != 0)
        abort();
    while (!atomic_load(&gate))
        ws_yield();
    return fegetround();
}

/* Catches: a task that is called on the stack of a yielding task, and computes with that task's rounding mode, or
 * leaves its own behind. */
START_TEST(each_task_on_the_last_stack_has_its_own_rounding)
{
    int inside = -1, after = -1;
    size_t stacks = start(_i); /* one stack, few workers or many */

    fesetround(FE_UPWARD);
    ck_assert_int_eq(ws_run(yield_for_one, &after, &inside), 0);
    ck_assert_int_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(inside, FE_TONEAREST);
    ck_assert_int_eq(after, FE_UPWARD);
    stop(stacks);
}
END_TEST

static void count(void *arg)
{
    (void)arg;
    atomic_fetch_add(&ran, 1);
}

static void *submit_from_outside(void *arg)
{
    (void)arg;
    for (long i = 0; i < TIMES; i++) {
        if (ws_group_submit(&group, count, NULL) != 0)
            abort();
    }
    return NULL;
}

static WS_TASK(long, wait_again_and_again, int, pinned)
{
    long errors = pinned ? ws_pin() != 0 : 0;

    while (atomic_load(&ran) < TIMES)
        errors += ws_group_wait(&group) != 0;
    return errors;
}

/* Catches: a task that gives up the last stack to wait for a group, while a foreign thread submits a task to that
 * group. */
START_TEST(a_waiter_with_the_last_stack_runs_what_comes_later)
{
    size_t stacks = start(_i / 2);
    pthread_t thread;
    long errors = -1;

    ck_assert_int_eq(pthread_create(&thread, NULL, submit_from_outside, NULL), 0);
    ck_assert_int_eq(ws_run(wait_again_and_again, &errors, _i % 2), 0);
    ck_assert_int_eq(errors, 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    stop(stacks);
}
END_TEST

/* Catches: a worker that keeps free stacks to itself while it sleeps: another one that is woken for a task then finds
 * none. With 2 stacks or 1 and 8 workers. */
START_TEST(a_worker_that_sleeps_keeps_no_stack)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 8;
    config.max_stacks = 1 + (size_t)_i;
    config.spin_us = 0;
    ck_assert_int_eq(ws_init(&config), 0);
    for (int i = 0; i < 200; i++) {
        uint64_t parks = read_stats().parks;

        ck_assert_int_eq(ws_group_submit(&group, count, NULL), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        while (read_stats().parks == parks) /* the worker sleeps again */
            sched_yield();
    }
    stop(config.max_stacks);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("shortage");

    tcase_add_loop_test(tcase, tasks_that_yield_let_one_without_a_stack_run, 0, COUNTS * MOST_STACKS);
    tcase_add_loop_test(tcase, not_more_are_called_on_a_stack_than_it_bears, 0, COUNTS * MOST_STACKS);
    tcase_add_loop_test(tcase, a_root_without_a_stack_runs_on_its_callers, 0, 2);
    tcase_add_loop_test(tcase, each_task_on_the_last_stack_has_its_own_rounding, 0, COUNTS);
    tcase_add_loop_test(tcase, a_waiter_with_the_last_stack_runs_what_comes_later, 0, 2 * COUNTS * MOST_STACKS);
    tcase_add_loop_test(tcase, a_worker_that_sleeps_keeps_no_stack, 0, 2);
    return run_case("shortage", tcase);
}
