/* SPDX-License-Identifier: MIT */
/* Starting and stopping, again and again: the results of ws_init(), ws_fini() and related functions. Neighbours:
 * stress/lifecycle.c, the same under load; fork.c. */
#include "../support/fib.h"
#include "../support/resources.h"
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int init_code, fini_code, id_seen;
static size_t workers_seen;

static WS_TASK_VOID(asks_inside)
{
    init_code = ws_init(NULL);
    fini_code = ws_fini();
    id_seen = ws_worker_id();
    workers_seen = ws_num_workers();
}

/* Catches: a second start that changes the first one; a stop under a running task; a deadlock of both inside a task. */
START_TEST(init_and_fini_say_what_is_documented)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    ck_assert_int_eq(ws_fini(), 0); /* stopping twice is allowed */
    ck_assert_uint_eq(ws_num_workers(), 0);
    ck_assert_int_eq(ws_worker_id(), -1);
    ck_assert_int_eq(ws_init(&config), 0);
    config.num_workers = 3;
    ck_assert_int_eq(ws_init(&config), EALREADY);
    ck_assert_int_eq(ws_init(NULL), EALREADY);
    ck_assert_uint_eq(ws_num_workers(), 2);

    ck_assert_int_eq(ws_run(asks_inside), 0);
    ck_assert_int_eq(init_code, EDEADLK);
    ck_assert_int_eq(fini_code, EBUSY);
    ck_assert_int_ge(id_seen, 0);
    ck_assert_int_lt(id_seen, 2);
    ck_assert_uint_eq(workers_seen, 2);
    ck_assert_int_eq(ws_worker_id(), -1);
    check_fib(15); /* nothing has changed */

    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_uint_eq(ws_num_workers(), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a start that fails halfway, after which the runtime cannot start. */
START_TEST(an_impossible_config_starts_nothing)
{
    ws_config config;

    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    ws_config_default(&config);
    config.num_workers = 100000;
    ck_assert_int_eq(ws_init(&config), EINVAL);
    ws_config_default(&config);
    config.stack_size = 1;
    ck_assert_int_eq(ws_init(&config), EINVAL);
    memset(&config, 0, sizeof config); /* without ws_config_default() */
    ck_assert_int_eq(ws_init(&config), EINVAL);
    ck_assert_uint_eq(ws_num_workers(), 0);
    start(2);
    check_fib(15);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a ws_run() that needs ws_init(), before the first or after a stop. */
START_TEST(the_first_run_starts_the_runtime)
{
    setenv("WSFJ_NUM_WORKERS", "3", 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(ws_num_workers(), 0);
        check_fib(15);
        ck_assert_uint_eq(ws_num_workers(), 3);
        ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

/* Catches: settings, counters or stacks of the last start in the next one. */
START_TEST(each_start_has_its_own_settings)
{
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < WORKERS; i++) {
            struct ws_stats stats = {.size = sizeof stats};

            start(workers[i]);
            ck_assert_int_eq(ws_stats_get(&stats), 0);
            ck_assert_uint_eq(stats.steals, 0);
            check_fib(15);
            ck_assert_int_eq(ws_fini(), 0);
        }
    }
}
END_TEST

/* Catches: threads, stacks or files that survive a stop; the signal stack of a thread that was a guest. */
START_TEST(a_stop_frees_everything)
{
    stack_t before, after;
    size_t maps = 0;
    int files = 0;

    ck_assert_int_eq(sigaltstack(NULL, &before), 0);
    for (int round = 0; round < 20; round++) {
        start(4);
        check_fib(15);
        ck_assert_int_eq(ws_fini(), 0);
        if (round == 4) {
            maps = count_maps(0);
            files = count_files();
        }
    }
    ck_assert_int_eq(sigaltstack(NULL, &after), 0);
    ck_assert_ptr_eq(after.ss_sp, before.ss_sp);
    ck_assert_int_eq(count_files(), files);
    if (!SANITIZED)
        ck_assert_uint_le(count_maps(0), maps + 8); /* the C library may cache a few thread stacks */
}
END_TEST

static void *starts_and_stops(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    long wrong = 0, r;

    for (int i = 0; i < 30; i++) {
        int code = 0;

        switch (rand_r(&seed) % 4) {
        case 0:
            code = ws_init(NULL);
            wrong += code != 0 && code != EALREADY;
            break;
        case 1:
            code = ws_fini();
            wrong += code != 0 && code != EBUSY;
            break;
        default:
            r = 0;
            code = ws_run(fib, &r, 8);
            wrong += code != 0 || r != 21;
            break;
        }
    }
    return (void *)(intptr_t)wrong;
}

/* Catches: a stop that ends the runtime under a ws_run() that has just begun. */
START_TEST(threads_may_start_run_and_stop_at_once)
{
    pthread_t threads[8];
    void *wrong = NULL;

    setenv("WSFJ_NUM_WORKERS", "3", 1);
    for (uintptr_t i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, starts_and_stops, (void *)(i + 1)), 0);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
        ck_assert_ptr_null(wrong);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* A thread that has given the slot back may need a moment until it can take it again. */
static void blocks_often(void *lent)
{
    for (int i = 0; i < 1000 && *(int *)lent < 5; i++) {
        int before = ws_worker_id();

        ws_blocking_begin();
        *(int *)lent += before == 0 && ws_worker_id() == -1;
        ws_blocking_end();
    }
}

/* Catches: threads of the first start that still count at the second, so that there is none for a task that blocks; a
 * second start whose threads end when they first have nothing to do. */
START_TEST(each_start_has_its_own_spares)
{
    setenv("WSFJ_NUM_WORKERS", "1", 1);
    setenv("WSFJ_SPARES", "1", 1);
    for (int i = 0; i < 3; i++) {
        ws_group group = WS_GROUP_INIT;
        int lent = 0;

        ck_assert_int_eq(ws_init(NULL), 0);
        ck_assert_int_eq(ws_group_submit(&group, blocks_often, &lent), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        ck_assert_int_eq(lent, 5);
        stop_runtime(); /* its task may still be about to end */
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("lifecycle");

    tcase_add_test(tcase, init_and_fini_say_what_is_documented);
    tcase_add_test(tcase, an_impossible_config_starts_nothing);
    tcase_add_test(tcase, the_first_run_starts_the_runtime);
    tcase_add_test(tcase, each_start_has_its_own_settings);
    tcase_add_test(tcase, each_start_has_its_own_spares);
    tcase_add_test(tcase, a_stop_frees_everything);
    tcase_add_test(tcase, threads_may_start_run_and_stop_at_once);
    return run_case("lifecycle", tcase);
}
