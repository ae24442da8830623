/* SPDX-License-Identifier: MIT */
/*
 * Regions of many ordinary threads at the same time: each ws_run() returns its own result, whichever worker ran its
 * root, and the calling thread runs no other caller's tasks.
 */
#include "../support/fib.h"
#include "stress.h"

#include <errno.h>
#include <pthread.h>

#define THREADS 64
#define FEW 4
#define FEW_CROWDS COUNT(8, 2)
#define RUNS COUNT(50L, 15L)
#define LOCKED_RUNS COUNT(15L, 8L)
#define SUSPENDED_RUNS COUNT(100L, 40L)
/* A thief comes soon, unless all workers are busy with roots like this one. */
#define SHORT_NS 200000

static long wrong, failed;
static const size_t workers[] = {1, 2, 8};

/* Starts the threads, each with its number, and waits for them. */
static void crowd(int threads, void *(*body)(void *))
{
    static int numbers[THREADS];
    pthread_t thread[THREADS];

    for (int i = 0; i < threads; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, body, &numbers[i]), 0);
    }
    for (int i = 0; i < threads; i++)
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    ck_assert_int_eq(failed, 0);
    ck_assert_int_eq(wrong, 0);
}

static void *run_fibs(void *number)
{
    for (long i = 0; i < RUNS; i++) {
        long n = (i + *(int *)number) % 13, result = -1;

        if (ws_run(fib, &result, n) != 0)
            count(&failed);
        if (result != serial_fib(n))
            count(&wrong);
    }
    return NULL;
}

/* Catches: a queued root that no worker takes when a slot becomes free (the test hangs); a result written to another
 * caller's variable or after its ws_run() has returned. */
START_TEST(many_callers_get_their_own_results)
{
    start_nth(workers, _i, WS_SPIN_DEFAULT);
    crowd(THREADS, run_fibs);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static pthread_mutex_t lock;

/* Whether this thread, not this task, holds the lock: an error-checking mutex tells, without waiting. */
static __attribute__((noinline)) bool thread_holds_lock(void)
{
    const struct timespec past = {0, 0};
    int error = pthread_mutex_timedlock(&lock, &past);

    if (error == 0)
        (void)pthread_mutex_unlock(&lock);
    return error == EDEADLK;
}

static WS_TASK(long, probe, long, depth, int, holder)
{
    long below = 0, here = !holder && thread_holds_lock();

    if (depth == 0)
        return here;
    ws_spawn(probe, &below, depth - 1, holder);
    here += ws_call(probe, depth - 1, holder);
    spin(1000);
    ws_sync();
    return here + below;
}

static void *run_probes(void *number)
{
    int holder = *(int *)number % 2;

    for (long i = 0; i < LOCKED_RUNS; i++) {
        long strangers = -1;

        if (holder && pthread_mutex_lock(&lock) != 0)
            count(&failed);
        if (ws_run(probe, &strangers, 5L, holder) != 0)
            count(&failed);
        if (holder && pthread_mutex_unlock(&lock) != 0)
            count(&failed);
        if (strangers != 0)
            count(&wrong);
    }
    return NULL;
}

/* Catches: a caller that helps with other tasks while it waits for its own: such a task would want the lock that the
 * caller holds. Few callers leave workers free, which steal from the holder so that it has to wait. */
START_TEST(a_caller_that_holds_a_mutex_runs_no_strangers_task)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    start_nth(workers, _i, WS_SPIN_DEFAULT);
    for (int i = 0; i < FEW_CROWDS; i++)
        crowd(FEW, run_probes);
    crowd(THREADS, run_probes);
    ck_assert_int_eq(ws_fini(), 0);
    pthread_mutex_destroy(&lock);
}
END_TEST

static WS_TASK(long, nest, long, n)
{
    long below = 0, inside = -1;

    if (n == 0)
        return 0;
    ws_spawn(nest, &below, n - 1);
    if (ws_run(fib, &inside, n % 10) != 0)
        count(&failed);
    if (inside != serial_fib(n % 10))
        count(&wrong);
    ws_sync();
    return below + 1;
}

static void *run_nests(void *number)
{
    for (long i = 0; i < RUNS / 5; i++) {
        long n = 1 + (i + *(int *)number) % 20, result = -1;

        if (ws_run(nest, &result, n) != 0)
            count(&failed);
        if (result != n)
            count(&wrong);
    }
    return NULL;
}

/* Catches: a ws_run() in a task that queues a root and waits: with one worker it waits for ever. */
START_TEST(a_task_may_call_ws_run)
{
    start_nth(workers, _i, WS_SPIN_DEFAULT);
    crowd(THREADS, run_nests);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK(long, outlasting, int *, started, const int *, at_sync, uint64_t, patience)
{
    raise_flag(started);
    (void)wait_flag(at_sync, patience);
    spin(20000);
    return 11;
}

static WS_TASK(long, suspended_root, long, n, uint64_t, patience)
{
    int started = 0, at_sync = 0;
    long result = -1;

    ws_spawn(outlasting, &result, &started, &at_sync, patience);
    (void)wait_flag(&started, patience);
    raise_flag(&at_sync);
    ws_sync();
    return result + n;
}

static bool crowded;

static void *run_suspended(void *number)
{
    uint64_t patience = crowded ? SHORT_NS : LONG_NS;

    for (long i = 0; i < SUSPENDED_RUNS; i++) {
        long result = -1;

        if (ws_run(suspended_root, &result, i + *(int *)number, patience) != 0)
            count(&failed);
        if (result != i + *(int *)number + 11)
            count(&wrong);
    }
    return NULL;
}

/* Catches: a caller that takes its root's suspension for its end, or misses that another worker has finished it. First
 * with one caller, which surely finds a thief each time, then with a crowd. */
START_TEST(a_caller_waits_for_a_suspended_root)
{
    int number = 1;

    start_nth(workers + 1, _i, WS_SPIN_DEFAULT);
    (void)run_suspended(&number);
    ck_assert_uint_gt(suspensions(), 0);
    crowded = true;
    crowd(THREADS / 4, run_suspended);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static int arrived, released, callers;

/* Waits for the others' roots, only by yielding. */
static WS_TASK(int, meet, int, n)
{
    uint64_t end = now() + LONG_NS;

    (void)__atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < n && now() < end)
        ws_yield();
    return __atomic_load_n(&arrived, __ATOMIC_ACQUIRE) >= n;
}

static void *run_meet(void *number)
{
    int met = -1;

    (void)number;
    if (ws_run(meet, &met, FEW) != 0)
        count(&failed);
    if (met != 1)
        count(&wrong);
    return NULL;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

/* Catches: a guest that takes its own fiber again and again while the roots of others wait for a slot. The callers find
 * the workers asleep, and are guests. */
START_TEST(roots_that_yield_let_the_roots_of_others_run)
{
    start_nth(workers, _i, WS_SPIN_DEFAULT);
    sleep_ms(20);
    crowd(FEW, run_meet);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* The first caller is in a blocking section until guests have all slots, its own too; they yield until it has left the
 * section. */
static WS_TASK(int, hold_up, int, n)
{
    uint64_t end = now() + LONG_NS;

    if (n == 0) {
        (void)__atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
        WS_BLOCKING
        {
            while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < callers && now() < end)
                sleep_ms(1);
        }
        raise_flag(&released);
        return 1;
    }
    (void)__atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&released, __ATOMIC_ACQUIRE) && now() < end)
        ws_yield();
    return __atomic_load_n(&released, __ATOMIC_ACQUIRE);
}

static void *run_hold_up(void *number)
{
    int right = -1;

    sleep_ms(10L * *(int *)number); /* its worker falls asleep meanwhile */
    if (ws_run(hold_up, &right, *(int *)number) != 0)
        count(&failed);
    if (right != 1)
        count(&wrong);
    return NULL;
}

/* Catches: guests that leave no slot to a fiber of another region that can go on. */
START_TEST(roots_that_yield_let_the_fibers_of_others_go_on)
{
    start_nth(workers, _i, WS_SPIN_DEFAULT);
    sleep_ms(20);
    callers = 1 + (int)ws_num_workers();
    crowd(callers, run_hold_up);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("foreign");

    tcase_add_loop_test(tcase, many_callers_get_their_own_results, 0, 6);
    tcase_add_loop_test(tcase, a_caller_that_holds_a_mutex_runs_no_strangers_task, 0, 6);
    tcase_add_loop_test(tcase, a_task_may_call_ws_run, 0, 6);
    tcase_add_loop_test(tcase, a_caller_waits_for_a_suspended_root, 0, 4);
    tcase_add_loop_test(tcase, roots_that_yield_let_the_roots_of_others_run, 0, 6);
    tcase_add_loop_test(tcase, roots_that_yield_let_the_fibers_of_others_go_on, 0, 6);
    return run_case("foreign", tcase);
}
