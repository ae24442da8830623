/* SPDX-License-Identifier: MIT */
/*
 * Sizes far beyond the usual: flat loops, wide loops, deep recursion. Memory stays bounded, results stay right, and
 * parallel programs stay parallel. Neighbours: area.c, large arguments; overflow.c, the end of a small deque.
 */
#include "stress.h"

#include <sys/resource.h>

/* A loop fills 4 MiB of descriptors. */
#define MOST_GROWTH_KIB (8L << 10)
#define PATIENCE_NS (UINT64_C(40) * 1000000000)
#define DEPTH COUNT(1000000L, 20000L)

static long ran;

static WS_TASK_VOID(count_one, int, unused)
{
    (void)unused;
    count(&ran);
}

static WS_TASK_VOID(flat, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(count_one, 0);
    ws_sync();
}

#if !SANITIZED
static long resident_most_kib(void)
{
    struct rusage usage;

    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* Catches: a loop whose children pile up, in the deque or as stacks of thieves. */
START_TEST(a_flat_loop_of_any_length_takes_bounded_memory)
{
    static const struct {
        size_t workers;
        long n;
    } c[] = {{1, 1000000}, {2, 1000000}, {8, 1000000}, {2, 20000000}};

    if (c[_i].n > 1000000 && !can_test("a loop of 2 * 10^7", emulated("it takes too long with qemu-user")))
        return;
    start_sized(c[_i].workers, 0);
    ran = 0;
    ck_assert_int_eq(ws_run(flat, 1000L), 0);

    long before = resident_most_kib();

    ck_assert_int_eq(ws_run(flat, c[_i].n), 0);
    ck_assert_int_eq(ran, c[_i].n + 1000);
    ck_assert_int_lt(resident_most_kib() - before, MOST_GROWTH_KIB);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST
#endif

/* The workers that have run a part of the last child: one bit for each. */
static uint64_t seen;

static WS_TASK_VOID(part, int, n)
{
    (void)__atomic_fetch_or(&seen, (uint64_t)1 << ws_worker_id(), __ATOMIC_RELAXED);
    if (n > 0) {
        ws_spawn(part, n - 1);
        ws_call(part, n - 1);
        ws_sync();
    } else {
        nanosleep(&(struct timespec){0, 100000}, NULL); /* another thread gets the processor, even the only one */
    }
}

static int chosen;

/* The first of the long children to run continues until a second worker has run a part of it: thieves take older
 * children first. */
static WS_TASK_VOID(one_of_many, int, depth)
{
    if (depth && !__atomic_exchange_n(&chosen, 1, __ATOMIC_RELAXED)) {
        uint64_t end = now() + PATIENCE_NS;

        while (__builtin_popcountll(__atomic_load_n(&seen, __ATOMIC_RELAXED)) < 2 && now() < end)
            ws_call(part, depth);
    } else {
        count(&ran);
    }
}

static WS_TASK_VOID(wide, long, n, long, from)
{
    for (long i = 0; i < n; i++)
        ws_spawn(one_of_many, i < from ? 0 : 7);
    ws_sync();
}

/* Catches: a child called by a full loop that runs serially; tasks above the loop's end that cannot be exposed. The
 * long child is the last one, run at the sync, or the first one that the full loop calls. */
START_TEST(a_child_of_a_wide_loop_still_runs_in_parallel)
{
    static const long widths[] = {10000, 100000, 100000}, from[] = {9999, 99999, 60000};

    start_sized(2, 0);
    for (int i = 0; i < 5; i++) {
        seen = 0;
        chosen = 0;
        ran = 0;
        ck_assert_int_eq(ws_run(wide, widths[_i], from[_i]), 0);
        ck_assert_int_eq(ran, widths[_i] - 1);
        ck_assert_int_eq(__builtin_popcountll(seen), 2);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Makes the frame large enough that no compiler turns the recursion into a loop. */
#define KEEP(x) __asm__ volatile("" : "+r"(x) : : "memory")

static WS_TASK(long, spawn_then_sync, long, n)
{
    long x = 0;

    if (n == 0)
        return 0;
    ws_spawn(spawn_then_sync, &x, n - 1);
    ws_sync();
    KEEP(x);
    return x + 1;
}

static WS_TASK(long, one, long, n)
{
    return n;
}

static char *deepest; /* the stack at the end of the recursion */

static WS_TASK(long, call_with_pending_spawn, long, n)
{
    long x = 0, y;

    if (n == 0) {
        deepest = (char *)__builtin_frame_address(0);
        return 0;
    }
    ws_spawn(one, &x, 1L);
    y = ws_call(call_with_pending_spawn, n - 1);
    ws_sync();
    KEEP(y);
    return x + y;
}

/* Catches: joins that nest on one thread's stack; a child's descriptor that stays while the child runs. */
START_TEST(recursion_is_as_deep_as_the_stack_allows)
{
    static const size_t workers[] = {1, 2, 8};
    long result = 0;

    start_sized(workers[_i], (size_t)1 << 30);
    ck_assert_int_eq(ws_run(spawn_then_sync, &result, DEPTH), 0);
    ck_assert_int_eq(result, DEPTH);
    ck_assert_int_eq(ws_run(call_with_pending_spawn, &result, DEPTH), 0);
    ck_assert_int_eq(result, DEPTH);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Bytes of stack. */
static WS_TASK(long, depth_of, long, n)
{
    (void)ws_call(call_with_pending_spawn, n);
    return (char *)__builtin_frame_address(0) - deepest;
}

/* Catches: a deque that is full before the call stack is: with gcc a frame may take 16 bytes of stack for a pending
 * child, whose descriptor takes 64. Nine tenths of the stack are used. */
START_TEST(small_frames_may_fill_the_call_stack)
{
    static const size_t workers[] = {1, 2};
    const long size = (SANITIZED_THREAD ? 1L : 16L) << 20, probe = 1000; /* TSan keeps the calls above each atomic */
    long once = 0, twice = 0, result = 0;

    start_sized(workers[_i], (size_t)size);
    ck_assert_int_eq(ws_run(depth_of, &once, probe), 0);
    ck_assert_int_eq(ws_run(depth_of, &twice, 2 * probe), 0);
    ck_assert_int_gt(twice, once);

    long depth = size / 10 * 9 / (twice - once) * probe;

    ck_assert_int_eq(ws_run(call_with_pending_spawn, &result, depth), 0);
    ck_assert_int_eq(result, depth);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

#define NESTED_DEPTH 300L
#define NESTED_WIDTH 400L

/* A loop on every level, around the spawn of the next level or before it. */
static WS_TASK(long, loops_in_recursion, long, depth)
{
    long below = 0, sum = 0, results[8] = {0};

    if (depth == 0)
        return 0;
    for (long i = 0; i < NESTED_WIDTH; i++) {
        ws_spawn(one, i < 8 ? &results[i] : NULL, i);
        if (i == (depth % 2 ? NESTED_WIDTH / 2 : NESTED_WIDTH - 1))
            ws_spawn(loops_in_recursion, &below, depth - 1);
    }
    ws_sync();
    for (int i = 0; i < 8; i++)
        sum += results[i];
    return below + sum;
}

/* Catches: a loop that takes children of an outer loop for its own when it makes room or collects. 300 times 200 or 400
 * pending children are more than one loop may have. */
START_TEST(loops_nest_in_recursion)
{
    static const size_t workers[] = {1, 2, 8};
    long result = 0;

    start_sized(workers[_i], 0);
    ck_assert_int_eq(ws_run(loops_in_recursion, &result, NESTED_DEPTH), 0);
    ck_assert_int_eq(result, NESTED_DEPTH * 28);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("bounds");

#if !SANITIZED
    tcase_add_loop_test(tcase, a_flat_loop_of_any_length_takes_bounded_memory, 0, 4);
#endif
    tcase_add_loop_test(tcase, a_child_of_a_wide_loop_still_runs_in_parallel, 0, 3);
    tcase_add_loop_test(tcase, recursion_is_as_deep_as_the_stack_allows, 0, 3);
    tcase_add_loop_test(tcase, small_frames_may_fill_the_call_stack, 0, 2);
    tcase_add_loop_test(tcase, loops_nest_in_recursion, 0, 3);
    return run_case("bounds", tcase);
}
