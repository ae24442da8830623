/* SPDX-License-Identifier: MIT */
/* ws_phase_begin() and ws_phase_end(), and ws_run() in a phase. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity() */
#endif
#include "../support/fib.h"
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#define SECONDS 20

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Waits until no worker has gone to sleep for a while. */
static uint64_t settled_parks(void)
{
    uint64_t parks = read_stats().parks;

    for (int i = 0; i < SECONDS * 10; i++) {
        uint64_t before = parks;

        sleep_ms(100);
        parks = read_stats().parks;
        if (parks == before)
            break;
    }
    return parks;
}

/* The calling thread stays where it is. */
static void stay(void)
{
    cpu_set_t here;
    int cpu = sched_getcpu();

    ck_assert_int_ge(cpu, 0);
    CPU_ZERO(&here);
    CPU_SET((unsigned)cpu, &here);
    ck_assert_int_eq(sched_setaffinity(0, sizeof here, &here), 0);
}

/* Catches: workers that sleep in a phase, or that never sleep again after it. One sleeps behind the calling thread,
 * which takes its slot. */
START_TEST(workers_stay_awake_in_a_phase)
{
    size_t n = workers[_i / 2];
    uint64_t parks;
    long r = 0;

    start_runtime(n, 0, _i % 2 ? 0 : WS_SPIN_DEFAULT);
    stay();
    (void)settled_parks();
    ck_assert_int_eq(ws_phase_begin(), 0);
    ck_assert_int_eq(ws_phase_begin(), 0);
    parks = read_stats().parks;
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(ws_run(fib, &r, 15), 0);
        ck_assert_int_eq(r, 610);
        sleep_ms(2);
    }
    ck_assert_int_eq(ws_phase_end(), 0);
    sleep_ms(20); /* the other worker goes on */
    ck_assert_uint_le(read_stats().parks, parks + 1);
    ck_assert_int_eq(ws_fini(), EBUSY);
    ck_assert_int_eq(ws_phase_end(), 0);

    for (int i = 0; i < SECONDS * 1000 && read_stats().parks < parks + n; i++)
        sleep_ms(1);
    ck_assert_uint_eq(read_stats().parks, parks + n);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK_VOID(tell, pthread_t *, who)
{
    *who = pthread_self();
}

/* Workers bound as usual, or not bound. */
static void start_bound(size_t n, bool bound)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = n;
    config.bind = bound ? WS_BIND_DEFAULT : WS_BIND_NONE;
    ck_assert_int_eq(ws_init(&config), 0);
}

/* Catches: a caller that waits in each region for the worker that searches on its processor: two changes of thread. */
START_TEST(regions_run_on_the_calling_thread)
{
    uint64_t end = now() + (uint64_t)SECONDS * 1000000000;
    int own = 0;

    start_bound(workers[_i / 2], _i % 2);
    stay();
    ck_assert_int_eq(ws_phase_begin(), 0);
    while (own < 100 && now() < end) {
        pthread_t who;

        ck_assert_int_eq(ws_run(tell, &who), 0);
        own += pthread_equal(who, pthread_self()) != 0;
    }
    ck_assert_int_eq(own, 100);
    ck_assert_int_eq(ws_phase_end(), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static void count_up(void *counter)
{
    __atomic_fetch_add((int *)counter, 1, __ATOMIC_RELEASE);
}

/* Catches: a worker whose slot a guest has taken and that still counts as a searcher: nothing wakes it for new work. */
START_TEST(other_work_wakes_the_worker_behind_the_caller)
{
    uint64_t end = now() + (uint64_t)SECONDS * 1000000000;
    int done = 0;
    long r = 0;

    start_bound(workers[_i / 2], _i % 2);
    ck_assert_int_eq(ws_phase_begin(), 0);
    for (int i = 1; i <= 200; i++) {
        ck_assert_int_eq(ws_run(fib, &r, 5), 0);
        if (i % 3 == 0)
            sched_yield();
        ck_assert_int_eq(ws_submit(count_up, &done), 0);
        while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < i && now() < end)
            sched_yield();
        ck_assert_int_eq(__atomic_load_n(&done, __ATOMIC_ACQUIRE), i);
    }
    ck_assert_int_eq(ws_phase_end(), 0);
    stop_runtime();
}
END_TEST

#define CALLERS 8

static void *call_and_submit(void *counter)
{
    long wrong = 0;

    for (int i = 0; i < 100; i++) {
        long r = 0, n = 8 + i % 5;
        bool phase = i % 10 == 3;

        if (phase)
            wrong += ws_phase_begin() != 0;
        wrong += ws_run(fib, &r, n) != 0 || r != serial_fib(n);
        wrong += ws_submit(count_up, counter) != 0;
        if (phase)
            wrong += ws_phase_end() != 0;
    }
    return (void *)(intptr_t)wrong;
}

/* Catches: two threads that serve one worker; a region or a task that never runs while callers, searching workers and
 * phases come and go. */
START_TEST(any_number_of_threads_may_run_in_a_phase)
{
    uint64_t end = now() + (uint64_t)SECONDS * 1000000000;
    pthread_t threads[CALLERS];
    void *wrong = NULL;
    int done = 0;

    start_bound(workers[_i / 2], _i % 2);
    ck_assert_int_eq(ws_phase_begin(), 0);
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_and_submit, &done), 0);
    for (int i = 0; i < CALLERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &wrong), 0);
        ck_assert_ptr_null(wrong);
    }
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < CALLERS * 100 && now() < end)
        sched_yield();
    ck_assert_int_eq(__atomic_load_n(&done, __ATOMIC_ACQUIRE), CALLERS * 100);
    ck_assert_int_eq(ws_phase_end(), 0);
    stop_runtime();
}
END_TEST

static int held, may_end;

static void set(int *flag, int value)
{
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static void await(const int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        sched_yield();
}

static WS_TASK_VOID(hold)
{
    set(&held, 1);
    await(&may_end);
}

/* Its child is stolen: then it waits for the child, and its guest has nothing to run. */
static WS_TASK_VOID(hold_elsewhere)
{
    ws_spawn(hold);
    await(&held);
    ws_sync();
}

static void *call_hold_elsewhere(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)ws_run(hold_elsewhere);
}

/* Catches: a guest that offers its slot as a searching worker does. It sleeps, and does not see that its region ends. */
START_TEST(a_guest_that_waits_keeps_its_slot)
{
    start_bound(2, _i % 2);
    stay();
    ck_assert_int_eq(ws_phase_begin(), 0);
    for (int i = 0; i < 50; i++) {
        pthread_t caller, who;
        void *error;

        set(&held, 0);
        set(&may_end, 0);
        ck_assert_int_eq(pthread_create(&caller, NULL, call_hold_elsewhere, NULL), 0);
        await(&held);
        sleep_ms(1);
        ck_assert_int_eq(ws_run(tell, &who), 0);
        set(&may_end, 1);
        ck_assert_int_eq(pthread_join(caller, &error), 0);
        ck_assert_ptr_null(error);
    }
    ck_assert_int_eq(ws_phase_end(), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a count that falls below zero, after which no phase ever begins. */
START_TEST(an_end_without_a_beginning_is_refused)
{
    ck_assert_int_eq(ws_phase_end(), EINVAL);
    ck_assert_int_eq(ws_phase_begin(), 0); /* starts the runtime */
    ck_assert_uint_gt(ws_num_workers(), 0);
    ck_assert_int_eq(ws_phase_end(), 0);
    ck_assert_int_eq(ws_phase_end(), EINVAL);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("phases");

    tcase_add_loop_test(tcase, workers_stay_awake_in_a_phase, 0, 2 * WORKERS);
    tcase_add_loop_test(tcase, regions_run_on_the_calling_thread, 0, 2 * WORKERS);
    tcase_add_loop_test(tcase, other_work_wakes_the_worker_behind_the_caller, 0, 2 * WORKERS);
    tcase_add_loop_test(tcase, any_number_of_threads_may_run_in_a_phase, 0, 2 * WORKERS);
    tcase_add_loop_test(tcase, a_guest_that_waits_keeps_its_slot, 0, 2);
    tcase_add_test(tcase, an_end_without_a_beginning_is_refused);
    return run_case("phases", tcase);
}
