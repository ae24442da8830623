/* SPDX-License-Identifier: MIT */
/*
 * ws_invoke: several calls at once. Also built as the elision (invoke_serial).
 *
 * Catches: a call that is left out or made twice; a result that goes astray; a wait for children that were spawned
 * before; calls that can never run at the same time; arguments evaluated twice.
 */
#include "workers.h"

#include <string.h>

#if defined WSFJ_SERIAL || defined WSFJ_RACE
#define SETS 1
#else
#define SETS WORKERS
#endif

struct wide {
    long a[40];
};

static int calls;

static WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_invoke((fib, &x, n - 1), (fib, &y, n - 2));
    return x + y;
}

static WS_TASK(int, three)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return 3;
}

static WS_TASK_VOID(plain)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

static WS_TASK_VOID(add, int *, to, int, n)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(to, n, __ATOMIC_RELAXED);
}

static WS_TASK(struct wide, widen, struct wide, w, char, by)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 40; i++)
        w.a[i] += by;
    return w;
}

START_TEST(the_results_are_those_of_the_calls)
{
    long r = 0;

    start(workers[_i]);
    ck_assert_int_eq(ws_run(fib, &r, 21), 0);
    ck_assert_int_eq(r, 10946);
    ck_assert_int_eq(fib(15), 610); /* outside a region */
    stop_runtime();
}
END_TEST

/* Two to eight calls; each kind of task in front and last; evaluated once. */
static WS_TASK(int, all_kinds, int, twice)
{
    int sum = 0, a = 0, b = 0, n = 0;
    struct wide w = {{1, 2}}, v, *at[2] = {&v, NULL}, **result = at;

    ws_invoke((plain), (add, &sum, ++n));
    ws_invoke((add, &sum, ++n), (plain), (three, &a));
    ws_invoke((three, NULL), (plain), (plain), (three, NULL));
    ws_invoke((widen, &v, w, 5), (plain), (plain), (plain), (plain));
    if (v.a[0] != 6 || v.a[1] != 7 || v.a[39] != 5)
        return -1;
    memset(&v, 0, sizeof v);
    if (twice)
        ws_invoke((three, &b), (add, &sum, ++n), (add, &sum, ++n), (add, &sum, ++n), (add, &sum, ++n),
                  (widen, *result++, w, 7));
    else
        return -2;
    if (result != at + 1 || v.a[0] != 8 || v.a[39] != 7)
        return -3;
    for (int i = 0; i < 3; i++)
        ws_invoke((add, &sum, 100), (add, &sum, 100), (plain), (plain), (plain), (plain), (plain));
    ws_invoke((plain), (plain), (plain), (plain), (plain), (plain), (plain), (widen, NULL, w, 1));
    if (a != 3 || b != 3 || n != 6 || sum != 1 + 2 + 3 + 4 + 5 + 6 + 600)
        return -4;
    return 2 + 3 + 4 + 5 + 6 + 3 * 7 + 8;
}

START_TEST(every_call_is_made_once)
{
    int expected = 0;

    start(workers[_i]);
    calls = 0;
    ck_assert_int_eq(ws_run(all_kinds, &expected, 1), 0);
    ck_assert_int_eq(expected, 49);
    ck_assert_int_eq(calls, expected);
    stop_runtime();
}
END_TEST

/* A plain function with a frame of its own. */
static int block(void)
{
    int a, b, c = 0;

    ws_frame();
    ws_spawn(three, &c);
    ws_invoke((three, &a), (three, &b));
    ws_sync();
    return a + b + c;
}
WS_SPAWNABLE(int, block);

START_TEST(a_frame_is_enough)
{
    int r = 0;

    start(workers[_i]);
    ck_assert_int_eq(block(), 9); /* serial: there is no region */
    ck_assert_int_eq(ws_run(block, &r), 0);
    ck_assert_int_eq(r, 9);
    stop_runtime();
}
END_TEST

#if !defined WSFJ_SERIAL && !defined WSFJ_RACE
/* One worker runs its children at the sync. So an earlier child is still to come when ws_invoke returns. */
static WS_TASK(int, before_and_after)
{
    int early = 0, sum = 0, then;

    ws_spawn(add, &early, 1);
    ws_spawn(add, &early, 1);
    ws_invoke((add, &sum, 1), (add, &sum, 1), (add, &sum, 1));
    then = early;
    ws_sync();
    return then * 100 + early * 10 + sum;
}

START_TEST(earlier_children_are_not_waited_for)
{
    int r = 0;

    start(1);
    ck_assert_int_eq(ws_run(before_and_after, &r), 0);
    ck_assert_int_eq(r, 23);
    stop_runtime();
}
END_TEST

/* Each waits until all eight are there. */
static WS_TASK_VOID(meet, int *, there)
{
    __atomic_add_fetch(there, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(there, __ATOMIC_ACQUIRE) < 8)
        sched_yield();
}

static WS_TASK(int, meeting)
{
    int there = 0;

    ws_invoke((meet, &there), (meet, &there), (meet, &there), (meet, &there), (meet, &there), (meet, &there),
              (meet, &there), (meet, &there));
    return there;
}

START_TEST(all_calls_can_run_at_once)
{
    int r = 0;

    start(8);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(ws_run(meeting, &r), 0);
        ck_assert_int_eq(r, 8);
    }
    ck_assert_uint_ge(steals(), 20 * 7);
    stop_runtime();
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("invoke");

    tcase_add_loop_test(tcase, the_results_are_those_of_the_calls, 0, SETS);
    tcase_add_loop_test(tcase, every_call_is_made_once, 0, SETS);
    tcase_add_loop_test(tcase, a_frame_is_enough, 0, SETS);
#if !defined WSFJ_SERIAL && !defined WSFJ_RACE
    tcase_add_test(tcase, earlier_children_are_not_waited_for);
    tcase_add_test(tcase, all_calls_can_run_at_once);
#endif
    return run_case("invoke", tcase);
}
