/* SPDX-License-Identifier: MIT */
/* ws_run() from all kinds of threads, and what a region takes from its calling thread. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity() */
#endif
#include "../support/fib.h"
#include "steals.h"
#include "workers.h"

#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 64

static void *run_some(void *argument)
{
    long wrong = 0;

    (void)argument;
    for (int i = 0; i < 20; i++) {
        long r = 0;
        pthread_t self = pthread_self();
        long tid = syscall(SYS_gettid);

        wrong += ws_run(fib, &r, 10 + i % 5) != 0;
        wrong += r != serial_fib(10 + i % 5);
        wrong += !pthread_equal(self, pthread_self()) || tid != syscall(SYS_gettid) || ws_worker_id() != -1;
    }
    return (void *)(intptr_t)wrong;
}

/* Catches: a region that gets another's result, returns on another thread, or never runs. */
START_TEST(any_number_of_threads_may_run_at_once)
{
    pthread_t threads[THREADS];
    void *wrong = NULL;

    start(workers[_i]);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_some, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
        ck_assert_ptr_null(wrong);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

#if !SANITIZED
/* Catches: a root that runs on the caller's stack; a start that needs much of it. */
START_TEST(a_thread_with_the_smallest_stack_may_run)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *wrong = NULL;

    if (_i < WORKERS)
        start(workers[_i]); /* else the thread starts the runtime */
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, run_some, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, &wrong), 0);
    ck_assert_ptr_null(wrong);
    pthread_attr_destroy(&attributes);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST
#endif

static unsigned char used[64];

static WS_TASK(long, who, long, n)
{
    int id = ws_worker_id();

    steals_in();
    if (id < 0 || (size_t)id >= ws_num_workers())
        return 1;
    __atomic_store_n(&used[id], 1, __ATOMIC_RELAXED);
    steals_out();
    return n;
}

static WS_TASK(long, ask_everybody)
{
    long wrong = 0, r[8];

    for (int i = 0; i < 8; i++)
        ws_spawn(who, &r[i], 0);
    steals_wait(2);
    ws_sync();
    for (int i = 0; i < 8; i++)
        wrong += r[i];
    return wrong + (ws_worker_id() < 0 || (size_t)ws_worker_id() >= ws_num_workers());
}

/* Catches: ids beyond the number of workers, by which programs index their arrays; one id for all workers. */
START_TEST(worker_ids_are_below_the_number_of_workers)
{
    long wrong = 1;
    int different = 0;

    start(workers[_i]);
    for (int i = 0; i < 10; i++) {
        steals_begin(STEALS_BEGUN);
        ck_assert_int_eq(ws_run(ask_everybody, &wrong), 0);
        ck_assert_int_eq(wrong, 0);
    }
    for (size_t i = 0; i < sizeof used; i++)
        different += used[i];
    ck_assert(different > 1 || workers[_i] == 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK(long, not_rounding, int, mode)
{
    steals_in();
    long wrong = fegetround() != mode;
    steals_out();
    return wrong;
}

static WS_TASK(long, rounds_as, int, mode)
{
    long wrong = fegetround() != mode, r[4];

    for (int i = 0; i < 4; i++)
        ws_spawn(not_rounding, &r[i], mode);
    steals_wait(2);
    ws_sync();
    wrong += fegetround() != mode;
    for (int i = 0; i < 4; i++)
        wrong += r[i];
    return wrong;
}

/* Catches: workers that compute with another rounding mode than the program has set, or leave the last region's
 * behind. */
START_TEST(workers_round_as_the_caller_does)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    long wrong = 1;

    start(workers[_i]);
    for (int i = 0; i < 24; i++) {
        int mode = modes[i % 4];

        steals_begin((enum steals_mode)(i % 3));
        fesetround(mode);
        ck_assert_int_eq(ws_run(rounds_as, &wrong, mode), 0);
        ck_assert_int_eq(wrong, 0);
        ck_assert_int_eq(fegetround(), mode);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK_VOID(rounds_up)
{
    fesetround(FE_UPWARD);
}

/* Catches: a caller that goes on with the rounding mode that its root has set: it served a worker's slot meanwhile,
 * while that worker slept. */
START_TEST(the_callers_rounding_stays)
{
    start_runtime(workers[_i], 0, 0);
    for (int i = 0; i < 20; i++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL); /* the workers mostly fall asleep */
        ck_assert_int_eq(ws_run(rounds_up), 0);
        ck_assert_int_eq(fegetround(), FE_TONEAREST);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a caller that serves a worker's slot and keeps its binding. */
START_TEST(the_callers_affinity_stays)
{
    cpu_set_t before, after;
    long r = 0;

    ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
    start((size_t)CPU_COUNT(&before));
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(ws_run(fib, &r, 12), 0);
    ck_assert_int_eq(sched_getaffinity(0, sizeof after, &after), 0);
    ck_assert(CPU_EQUAL(&before, &after));
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_int_eq(sched_getaffinity(0, sizeof after, &after), 0);
    ck_assert(CPU_EQUAL(&before, &after));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("roots");

    tcase_add_loop_test(tcase, any_number_of_threads_may_run_at_once, 0, WORKERS);
#if !SANITIZED /* instrumented frames need more than 16 KiB */
    tcase_add_loop_test(tcase, a_thread_with_the_smallest_stack_may_run, 0, WORKERS + 1);
#endif
    tcase_add_loop_test(tcase, worker_ids_are_below_the_number_of_workers, 0, WORKERS);
    tcase_add_loop_test(tcase, workers_round_as_the_caller_does, 0, WORKERS);
    tcase_add_loop_test(tcase, the_callers_rounding_stays, 0, WORKERS);
    tcase_add_test(tcase, the_callers_affinity_stays);
    return run_case("roots", tcase);
}
