/* SPDX-License-Identifier: MIT */
/*
 * A stack ends its life and begins the next one while a thief of the former life still forces (THE-6). The thief has
 * raised E over the first descriptor just as the owner popped it, and waits for its barrier; meanwhile the region ends,
 * the next one gets the same stack and pushes its first task on the same descriptor. Neighbour: tests/unit/stack.c, the
 * same step by step.
 */
#include "stress.h"

#include <stdio.h>

/* A life takes some 10 us; a thief forces in one life of 20 to 100. About every 50th forced steal meets a reused
 * stack. */
#define FORCED COUNT(2000u, 200u)
#define MOST_LIVES 1000000L
#define MOST_NS (UINT64_C(8) * 1000000000)
#define LEAVES 3
/* The time limit for the thief of the first leaf; it comes soon, unless the machine is busy. */
#define STEAL_NS 100000
/* The last leaf runs for a random time, about as long as a thief waits between its request and forcing
 * (lib/sched/steal.c). */
#define LEAST_NS 700
#define VARIED_NS 1400

static int *ran; /* how often each leaf has run */

static WS_TASK_VOID(leaf, long, i)
{
    (void)__atomic_fetch_add(&ran[i], 1, __ATOMIC_RELEASE);
}

/* A thief takes the first leaf, as a thief of the former life would. That also ends the pause of thieves that have
 * forced in vain. The second leaf removes the request left by that steal. So the last leaf is private, on the first
 * descriptor, and can only be forced. */
static WS_TASK_VOID(life, long, i, unsigned, ns)
{
    ws_spawn(leaf, i);
    (void)wait_flag(&ran[i], STEAL_NS);
    ws_sync();
    ws_spawn(leaf, i + 1);
    ws_sync();
    ws_spawn(leaf, i + 2);
    for (uint64_t end = now() + ns; now() < end;)
        ;
    ws_sync();
}

static uint64_t forced(void)
{
    return read_stats().exposures_forced;
}

static long not_once(long from, long to)
{
    long n = 0;

    for (long i = from; i < to; i++)
        n += __atomic_load_n(&ran[i], __ATOMIC_ACQUIRE) != 1;
    return n;
}

/* Catches: a stack that is initialised again when it is taken from the pool (E lowered under the thief): owner and
 * thief both run the first task of its new life. Without membarrier no thief forces, and the test shows nothing. */
START_TEST(the_first_task_of_a_reused_stack_runs_once)
{
    uint64_t random = 88172645463325252u, end = now() + MOST_NS;
    long n = 0, wrong = 0;

    ran = calloc((size_t)(MOST_LIVES * LEAVES), sizeof *ran);
    ck_assert_ptr_nonnull(ran);
    start((size_t)_i + 2, true, WS_SPIN_DEFAULT);
    for (; n < MOST_LIVES * LEAVES && !wrong && (n % 100 || (forced() < FORCED && now() < end)); n += LEAVES) {
        ck_assert_int_eq(ws_run(life, n, LEAST_NS + draw(&random, VARIED_NS)), 0);
        wrong = not_once(n, n + LEAVES);
    }
    printf("%d workers: %ld lives, %lu forced\n", _i + 2, n / LEAVES, (unsigned long)forced());
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_int_eq(not_once(0, n), 0);
    free(ran);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("reuse");

    tcase_add_loop_test(tcase, the_first_task_of_a_reused_stack_runs_once, 0, 2);
    return run_case("reuse", tcase);
}
