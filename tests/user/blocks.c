/* SPDX-License-Identifier: MIT */
/* Children of blocks in ordinary functions, plain calls of tasks, ws_run() inside a task, functions made spawnable.
 * Neighbour: frames.c. */
#include "children.h"

#include <pthread.h>

/* An ordinary function with a block of its own. */
__attribute__((noinline)) static long in_a_block(long n)
{
    long a = 0, b = 0;
    struct big c;
    {
        ws_frame();
        ws_spawn(child, &a, n);
        ws_spawn(large, &c, n);
        ws_spawn(child, &b, n + 1);
        steals_wait(1);
        ws_sync();
    }
    return (a != n) + (b != n + 1) + wrong_big(&c, n);
}

/* Leaving a block syncs, on every way out. */
__attribute__((noinline)) static long leaves_a_block(long n)
{
    long before = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);

    for (int i = 0; i < 2; i++) {
        ws_frame();
        ws_spawn(slow, NULL, n);
        ws_spawn(slow, NULL, n);
        if (i == 0)
            continue;
        break;
    }
    return __atomic_load_n(&finished, __ATOMIC_ACQUIRE) != before + 4;
}

static WS_TASK(long, blocks_inside)
{
    long a = 0, b = 0, wrong;

    ws_spawn(child, &a, 1);
    ws_spawn(child, &b, 2);
    steals_wait(1);
    wrong = in_a_block(10) + leaves_a_block(20);
    {
        long c = 0;

        ws_frame();
        ws_spawn(child, &c, 3);
        ws_sync();
        wrong += c != 3;
    }
    ws_sync();
    return wrong + (a != 1) + (b != 2);
}

static WS_TASK(long, calls_plainly)
{
    long (*f)(long) = child;
    long a = 0;

    ws_spawn(child, &a, 1);
    steals_wait(1);

    long b = child(2) + f(3) + nested(2); /* with a child pending */

    ws_sync();
    return (a != 1) + (b != 2 + 3 + 16);
}

static WS_TASK(long, evaluates_once)
{
    long i = 0, r[4] = {-1, -1, -1, -1}, *p = r, error;

    ws_spawn(child, p++, i++);
    ws_spawn(child, p++, i++);
    steals_wait(1);
    ws_sync();

    long c = ws_call(child, i++);

    error = ws_run(child, p++, i++);
    return error + (i != 4) + (p != r + 3) + (r[0] != 0) + (r[1] != 1) + (c != 2) + (r[2] != 3);
}

static long existing(long n)
{
    steals_in();
    steals_out();
    return n + 1;
}

static void existing_void(long n)
{
    (void)__atomic_fetch_add(&noted, n, __ATOMIC_RELAXED);
}

WS_SPAWNABLE(long, existing, long, n);
WS_SPAWNABLE_VOID(existing_void, long, n);

static WS_TASK(long, spawns_functions)
{
    long a = 0, b = 0, before = __atomic_load_n(&noted, __ATOMIC_RELAXED);

    ws_spawn(existing, &a, 1);
    ws_spawn(existing_void, 1000);
    ws_spawn(existing, &b, 2);
    steals_wait(1);
    ws_sync();
    return (a != 2) + (b != 3) + (__atomic_load_n(&noted, __ATOMIC_RELAXED) != before + 1000);
}

/* ws_run() in a task is a call: it works with children pending, to any depth. */
static WS_TASK(long, runs_inside)
{
    long a = 0, b = 0, error;
    struct big c;

    ws_spawn(child, &a, 1);
    steals_wait(1);
    error = ws_run(nested, &b, 3) + ws_run(large, &c, 9) + ws_run(note, 0);
    ws_sync();
    return error + (a != 1) + (b != 64) + wrong_big(&c, 9);
}

#define ROOTS(X) X(blocks_inside) X(calls_plainly) X(evaluates_once) X(spawns_functions) X(runs_inside)
ROOT_TABLE(ROOTS);

/* Catches: a frame that confuses its children: a result in the wrong variable, a child lost, run twice or not waited
 * for, when none, some or all of them are stolen. */
START_TEST(a_frame_gets_the_results_of_its_children_wherever_it_is)
{
    start(workers[_i % WORKERS]);
    check_in_regions(&roots[_i / WORKERS]);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static void check_outside(void)
{
    check_plainly(roots, NUM_ROOTS);
    ck_assert_int_eq(in_a_block(4), 0);
    ck_assert_int_eq(leaves_a_block(5), 0);
}

/* Catches: a block or a task that needs a region: outside of one it runs serially, before the runtime has started,
 * while it runs, and after. */
START_TEST(outside_any_region_blocks_are_plain_code)
{
    in_each_phase(check_outside);
}
END_TEST

static void *blocks_outside(void *argument)
{
    long wrong = 0;

    (void)argument;
    for (int i = 0; i < 200; i++)
        wrong += in_a_block(i) + nested(3) - 64;
    return (void *)(intptr_t)wrong;
}

/* Catches: a deque shared by two threads that are both outside. */
START_TEST(threads_outside_do_not_disturb_each_other)
{
    pthread_t threads[8];
    void *wrong = NULL;

    steals_begin(STEALS_NONE);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, blocks_outside, NULL), 0);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
        ck_assert_ptr_null(wrong);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("blocks");

    tcase_add_loop_test(tcase, a_frame_gets_the_results_of_its_children_wherever_it_is, 0, NUM_ROOTS * WORKERS);
    tcase_add_test(tcase, outside_any_region_blocks_are_plain_code);
    tcase_add_test(tcase, threads_outside_do_not_disturb_each_other);
    return run_case("blocks", tcase);
}
