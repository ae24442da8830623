/* SPDX-License-Identifier: MIT */
/* A thread of the program that serves a worker, and finds no stack: lib/api/run.c, guest.c. Neighbours: user/roots.c,
 * regions of several threads; stress/limits.c, few stacks. */
#include "../support/flags.h"
#include "../support/runtime.h"

#include "idle/idle_counts.h"

#include <pthread.h>

enum { STACKS = 2, WORKERS = STACKS + 1 };

static int may_end;
static long inside, ran_serially;

static WS_TASK_VOID(keeps_its_stack)
{
    add(&inside, 1);
    wait_for(&may_end);
}

static void *region(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_run(keeps_its_stack), 0);
    return NULL;
}

static WS_TASK_VOID(tells)
{
    add(&ran_serially, ws_worker_id() < 0);
}

/* Catches: a guest that finds no stack and keeps its worker: after it no guest and no thread serves that worker, and the
 * next region hangs. */
START_TEST(a_guest_without_a_stack_gives_its_worker_back)
{
    pthread_t threads[STACKS];
    ws_config config;

    ws_config_default(&config);
    config.num_workers = WORKERS;
    config.max_stacks = STACKS;
    config.spin_us = 0;
    ck_assert_int_eq(ws_init(&config), 0);
    for (int i = 0; i < STACKS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, region, NULL), 0);
    while (get(&inside) < STACKS)
        sched_yield();
    for (int i = 0; i < WORKERS; i++) {
        while (wsfj_idle_counts().sleeping < 1)
            sched_yield();
        ck_assert_int_eq(ws_run(tells), 0);
    }
    ck_assert_int_eq(get(&ran_serially), WORKERS);
    raise_flag(&may_end);
    for (int i = 0; i < STACKS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("guest");

    tcase_add_test(tcase, a_guest_without_a_stack_gives_its_worker_back);
    return run_case("guest", tcase);
}
