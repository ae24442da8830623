/* SPDX-License-Identifier: MIT */
/* Several tasks and threads that wait for one group: lib/queue/group.c, lib/api/group_wait.c. With few stacks, when a waiter calls
 * other tasks on its own stack, and with enough; in a blocking section and with a pin. Neighbours: unit/group.c; own_group.c. */
#include "../support/flags.h"
#include "../support/runtime.h"

#include <pthread.h>

enum { WAITERS = 30, WORKS = 10 };

static ws_group work = WS_GROUP_INIT, waiters = WS_GROUP_INIT;
static long done, early, wrong;
static bool has_stacks;

/* Each number of workers with each limit of stacks. */
#define SHAPES 6
static void start_shape(int i)
{
    static const size_t stacks[] = {1, 2, 0};
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 1 + (size_t)i / 3;
    config.max_stacks = stacks[i % 3];
    has_stacks = stacks[i % 3] == 0;
    ck_assert_int_eq(ws_init(&config), 0);
    done = early = wrong = 0;
}

static void yield_some(void *unused)
{
    (void)unused;
    for (int i = 0; i < 5 && has_stacks; i++) /* else the task may call one on its stack that waits for it */
        ws_yield();
    add(&done, 1);
}

static void wait_for_work(void)
{
    add(&wrong, ws_group_wait(&work) != 0);
    add(&early, get(&done) < WORKS);
}

static void wait_plainly(void *unused)
{
    (void)unused;
    wait_for_work();
}

static void wait_in_a_section(void *unused)
{
    (void)unused;
    WS_BLOCKING
    {
        wait_for_work();
    }
    ws_yield();
}

static void wait_pinned(void *unused)
{
    int error = ws_pin();
    pthread_t self = pthread_self();

    (void)unused;
    wait_for_work();
    if (!error) {
        add(&wrong, !pthread_equal(self, pthread_self()));
        ws_unpin();
    }
}

static void *wait_outside(void *unused)
{
    wait_for_work();
    return unused;
}

/* Catches: a waiter that is forgotten, or goes on before the last task has ended. */
START_TEST(all_waiters_go_on)
{
    static ws_function *const ways[] = {wait_plainly, wait_in_a_section, wait_pinned};
    pthread_t threads[2];

    start_shape(_i);
    for (int round = 0; round < 10; round++) {
        done = 0;
        for (int i = 0; i < WORKS; i++)
            ck_assert_int_eq(ws_group_submit(&work, yield_some, NULL), 0);
        for (int i = 0; i < WAITERS; i++)
            ck_assert_int_eq(ws_group_submit(&waiters, ways[i % 3], NULL), 0);
        for (int i = 0; i < 2; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_outside, NULL), 0);
        wait_for_work();
        ck_assert_int_eq(ws_group_wait(&waiters), 0);
        for (int i = 0; i < 2; i++)
            ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_int_eq(get(&done), WORKS);
        ck_assert_int_eq(get(&early), 0);
        ck_assert_int_eq(get(&wrong), 0);
    }
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("group_waiters");

    tcase_add_loop_test(tcase, all_waiters_go_on, 0, SHAPES);
    return run_case("group_waiters", tcase);
}
