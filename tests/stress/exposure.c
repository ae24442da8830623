/* SPDX-License-Identifier: MIT */
/*
 * Every task can be stolen at every moment: another worker starts a spawned task although its owner is in a long leaf,
 * without spawn or sync. Here the leaf lasts until the task has started, so a task that cannot be stolen shows as a
 * wait that times out.
 */
#include "stress.h"

#define ROUNDS COUNT(400L, 100L)
#define DROWSY_ROUNDS COUNT(2000L, 300L)
#define NAPS 2
#define NAP_NS UINT64_C(200000000)
#define PENDING 3

static long late; /* tasks that no other worker has started in time */

/* The first timeout is enough. */
static void await(const int *flag)
{
    if (!__atomic_load_n(&late, __ATOMIC_RELAXED) && !wait_flag(flag, LONG_NS))
        count(&late);
}

static WS_TASK_VOID(started, int *, flag)
{
    raise_flag(flag);
}

static void wait_all(const int *flags)
{
    for (int i = 0; i < PENDING; i++)
        await(&flags[i]);
}

/* The leaf is a task inside a task with pending children: the older children are stolen first, then its own. */
static WS_TASK_VOID(inner, const int *, outer)
{
    int flags[PENDING] = {0};

    for (int i = 0; i < PENDING; i++)
        ws_spawn(started, &flags[i]);
    wait_all(outer);
    wait_all(flags);
    ws_sync();
}

static WS_TASK_VOID(rounds, long, n)
{
    for (long i = 0; i < n; i++) {
        int flags[PENDING] = {0};

        for (int j = 0; j < PENDING; j++)
            ws_spawn(started, &flags[j]);
        ws_call(inner, flags);
        ws_sync();
    }
}

/* One child, after serial code of about the length of an idle worker's search. */
static WS_TASK_VOID(drowsy_rounds, long, n)
{
    uint64_t random = 88172645463325252u;

    for (long i = 0; i < n; i++) {
        int flag = 0;

        spin_random(&random, 15);
        ws_spawn(started, &flag);
        await(&flag);
        ws_sync();
    }
}

/* After the nap every other worker sleeps. */
static WS_TASK_VOID(nap_rounds, long, n)
{
    for (long i = 0; i < n; i++) {
        uint64_t end = now() + NAP_NS;

        while (now() < end)
            spin(100);
        ws_call(rounds, 1);
    }
}

static const size_t workers[] = {2, 3, 8, 33}; /* many more than processors */

static void stop(void)
{
    ck_assert_int_eq(late, 0);
    ck_assert_int_eq(ws_fini(), 0);
}

/* Catches: exposure that waits for the owner's next spawn or sync; a request, a forced exposure or an attempt in vain that
 * does not count. Without the barrier no task is private: there are neither requests nor forced exposures. */
START_TEST(a_task_is_started_while_its_owner_is_in_a_leaf)
{
    struct ws_stats stats;

    start_nth(workers, _i, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_run(rounds, ROUNDS), 0);
    stats = read_stats();
    ck_assert_int_eq(stats.exposures_asked > 0, stats.exposures_forced > 0);
    ck_assert_uint_gt(stats.steals_failed, 0);
    stop();
}
END_TEST

/* Catches: a lost wake-up: the last searcher goes to sleep as the task is spawned (PARK-1, PARK-2), or it leaves its
 * request on a stack from which the worker has just switched away (PARK-3). */
START_TEST(a_task_is_started_though_the_thieves_are_falling_asleep)
{
    start_nth(workers, _i, 5);
    ck_assert_int_eq(ws_run(drowsy_rounds, DROWSY_ROUNDS), 0);
    stop();
}
END_TEST

/* Catches: a spawn after serial code that wakes no worker. */
START_TEST(a_task_is_started_though_all_others_sleep)
{
    start_nth(workers, _i, 50);
    ck_assert_int_eq(ws_run(nap_rounds, NAPS), 0);
    ck_assert_uint_gt(read_stats().parks, 0);
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("exposure");

    tcase_add_loop_test(tcase, a_task_is_started_while_its_owner_is_in_a_leaf, 0, 8);
    tcase_add_loop_test(tcase, a_task_is_started_though_the_thieves_are_falling_asleep, 0, 8);
    tcase_add_loop_test(tcase, a_task_is_started_though_all_others_sleep, 0, 8);
    return run_case("exposure", tcase);
}
