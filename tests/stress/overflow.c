/* SPDX-License-Identifier: MIT */
/*
 * The deque's end: more pending or stolen children than a deque has descriptors. A loop then calls its children;
 * nothing grows without bound and nothing reaches the guard.
 */
#include "stress.h"

#define SMALL_STACK ((size_t)64 << 10)
#define LOOP COUNT(300000L, 100000L)
#define REPEATS 2

static long ran;

/* Long enough that thieves take a share, short enough that the loop fills the deque. */
static WS_TASK_VOID(leaf, unsigned, turns)
{
    ws_sync();
    spin(turns);
    count(&ran);
}

static WS_TASK_VOID(flat, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(leaf, 300);
    ws_sync();
}

/* Catches: a full loop that keeps the descriptor of each child stolen meanwhile, and after enough of them (1000 with
 * this stack) writes the next one into the guard. */
START_TEST(a_full_loop_survives_any_number_of_steals)
{
    static const size_t workers[] = {2, 3, 8};

    setenv("WSFJ_MEMBARRIER", _i % 2 ? "0" : "1", 1);
    start_sized(workers[_i / 2], SMALL_STACK);
    for (int i = 0; i < REPEATS; i++) {
        ran = 0;
        ck_assert_int_eq(ws_run(flat, LOOP), 0);
        ck_assert_int_eq(ran, LOOP);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

#define PROBE 40

static uintptr_t lowest, highest; /* the addresses of the leaves' frames */

static WS_TASK(long, deep, long, n)
{
    long x, y;

    if (n == 0) {
        uintptr_t here = (uintptr_t)__builtin_frame_address(0);

        lowest = here < lowest ? here : lowest;
        highest = here > highest ? here : highest;
        return 0;
    }
    ws_spawn(deep, &x, 0L);
    y = ws_call(deep, n - 1);
    ws_sync();
    return x + y + 1;
}

static WS_TASK(long, loop_then_deep, long, n, long, depth)
{
    long result = -1;

    for (long i = 1; i < n; i++)
        ws_spawn(deep, NULL, 0L);
    ws_spawn(deep, &result, depth);
    ws_sync();
    return result;
}

/* Whether so many frames leave a quarter of the call stack free: frames of instrumented code may be large. */
static bool frames_fit(long depth)
{
    long result = 0;

    lowest = UINTPTR_MAX;
    highest = 0;
    ck_assert_int_eq(ws_run(deep, &result, (long)PROBE), 0);
    ck_assert_int_eq(result, PROBE);
    return (highest - lowest) / PROBE * (uintptr_t)depth < SMALL_STACK / 4 * 3;
}

/* Catches: nested tasks that use up the reserve above a full loop and go on into the guard, where the same recursion on
 * an empty deque works: it should run serially. One worker: every frame is on one stack. */
START_TEST(a_full_loop_leaves_as_much_depth_as_the_call_stack_allows)
{
    static const long depths[] = {100, 500, 900, 1100, 1300};
    long result = 0;

    start_sized(1, SMALL_STACK);
    if (frames_fit(depths[_i])) {
        ck_assert_int_eq(ws_run(loop_then_deep, &result, 1L, depths[_i]), 0); /* the call stack is large enough */
        ck_assert_int_eq(result, depths[_i]);
        ck_assert_int_eq(ws_run(loop_then_deep, &result, 10000L, depths[_i]), 0);
        ck_assert_int_eq(result, depths[_i]);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("overflow");

    tcase_add_loop_test(tcase, a_full_loop_survives_any_number_of_steals, 0, 6);
    tcase_add_loop_test(tcase, a_full_loop_leaves_as_much_depth_as_the_call_stack_allows, 0, 5);
    return run_case("overflow", tcase);
}
