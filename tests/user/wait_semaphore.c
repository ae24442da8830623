/* SPDX-License-Identifier: MIT */
/* Semaphores: lib/sync/semaphore.c, taker.c. */
#include "waits.h"

enum { TASKS = 20, THREADS = 3, GUESTS = 2, ALL = TASKS + THREADS + GUESTS, TIMES = 100, UNITS = 3 };

static ws_semaphore semaphore = WS_SEMAPHORE_INIT(UNITS);
static long inside, done, wrong;

/* Those that only try come last if others wait: after some attempts they wait, too. */
static int take_in_some_way(long i)
{
    int error = EAGAIN;

    for (int attempt = 0; attempt < 3 && i % 4 > 1; attempt++) {
        error = i % 4 == 2 ? ws_semaphore_wait_until(&semaphore, now() + (uint64_t)i % 7 * 20000)
                           : ws_semaphore_try_wait(&semaphore);
        if (error == 0)
            return 0;
        add(&wrong, error != (i % 4 == 2 ? ETIMEDOUT : EAGAIN));
        ws_yield();
    }
    return i % 4 ? ws_semaphore_wait(&semaphore) : ws_semaphore_wait_until(&semaphore, WS_FOREVER);
}

static void take_and_give(long number)
{
    for (long i = 0; i < TIMES; i++) {
        add(&wrong, take_in_some_way(number + i) != 0);
        add(&inside, 1);
        add(&wrong, get(&inside) > UNITS);
        if (i % 8 == 0)
            ws_yield();
        add(&inside, -1);
        add(&done, 1);
        ws_semaphore_post(&semaphore, 1);
    }
}

/* Catches: more holders than units, a unit that is lost to a waiter whose deadline has passed, a waiter that is forgotten. */
START_TEST(no_more_than_the_units_hold_it)
{
    struct crowd crowd;

    start_shape(_i, ALL + 2);
    crowd_begin(&crowd, take_and_give, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    ck_assert_int_eq(done, ALL * TIMES);
    ck_assert_int_eq(wrong, 0);
    for (int i = 0; i < UNITS; i++)
        ck_assert_int_eq(ws_semaphore_try_wait(&semaphore), 0);
    ck_assert_int_eq(ws_semaphore_try_wait(&semaphore), EAGAIN);
    ck_assert_int_eq(ws_semaphore_wait_until(&semaphore, 0), ETIMEDOUT);
    ck_assert_int_eq(ws_semaphore_wait_until(&semaphore, now() + 1000), ETIMEDOUT);
    stop_runtime();
}
END_TEST

static long order[ALL], next, came;

static void note_order(void *number)
{
    add(&wrong, ws_semaphore_wait(&semaphore) != 0);
    order[next++] = (long)(intptr_t)number; /* there is one worker */
    add(&came, 1);
}

/* Catches: a later waiter that is served
 * first, and a post that serves more or fewer than n, or a unit of it that a newcomer takes from a waiter. */
START_TEST(first_come_first_served)
{
    ws_group group = WS_GROUP_INIT;
    long n = 10, before = 0;

    ws_semaphore_init(&semaphore, 0);
    start_shape(0, 0);
    for (long i = 0; i < n; i++) {
        uint64_t waits = read_stats().waits;

        ck_assert_int_eq(ws_group_submit(&group, note_order, (void *)(intptr_t)i), 0);
        while (read_stats().waits == waits)
            sched_yield();
    }
    while (before < n) {
        long more = before % 3 + 1 < n - before ? before % 3 + 1 : n - before;

        ws_semaphore_post(&semaphore, (uint64_t)more);
        ck_assert_int_eq(ws_semaphore_try_wait(&semaphore), EAGAIN);
        while (get(&came) < before + more)
            sched_yield();
        ck_assert_int_eq(get(&came), before + more);
        for (long i = before; i < before + more; i++) /* those of one post come in any order */
            ck_assert(before <= order[i] && order[i] < before + more);
        before += more;
    }
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(wrong, 0);
    ws_semaphore_post(&semaphore, 5);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(ws_semaphore_try_wait(&semaphore), 0);
    ck_assert_int_eq(ws_semaphore_try_wait(&semaphore), EAGAIN);
    stop_runtime();
}
END_TEST

static int polled, poll_errors[3];

static int take_in_poll(void *unused)
{
    (void)unused;
    if (is_raised(&polled))
        return 0;
    poll_errors[0] = ws_semaphore_wait(&semaphore);
    ws_semaphore_post(&semaphore, 1);
    poll_errors[1] = ws_semaphore_wait(&semaphore);
    poll_errors[2] = ws_semaphore_wait_until(&semaphore, now() + 1000000);
    raise_flag(&polled);
    return 0;
}

/* Catches: a poll function that waits, and one that cannot take what there is. */
START_TEST(poll_does_not_wait_for_it)
{
    ws_config config;

    ws_semaphore_init(&semaphore, 0);
    ws_config_default(&config);
    config.num_workers = 2;
    config.poll = take_in_poll;
    ck_assert_int_eq(ws_init(&config), 0);
    wait_for(&polled);
    ck_assert_int_eq(poll_errors[0], EDEADLK);
    ck_assert_int_eq(poll_errors[1], 0);
    ck_assert_int_eq(poll_errors[2], EDEADLK);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_semaphore");

    tcase_add_loop_test(tcase, no_more_than_the_units_hold_it, 0, SHAPES);
    tcase_add_test(tcase, first_come_first_served);
    tcase_add_test(tcase, poll_does_not_wait_for_it);
    return run_case("wait_semaphore", tcase);
}
