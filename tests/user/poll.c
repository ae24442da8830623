/* SPDX-License-Identifier: MIT */
/* ws_config.poll: a program's own source of work. */
#include "../support/fib.h"
#include "../support/process.h"
#include "workers.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>

#define SECONDS 20
#define PATIENCE_S 40 /* of a child, which a broken library makes hang */
#define EVENTS 1000L

static long ran, left, calls, at_once, errors;

static void handle(void *arg)
{
    (void)arg;
    (void)__atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
}

/* One event each time, until none are left. The counter is plain: calls must not overlap. */
static int one_event(void *arg)
{
    (void)arg;
    (void)__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    if (__atomic_fetch_add(&at_once, 1, __ATOMIC_RELAXED) != 0)
        errors++;
    sched_yield();
    (void)__atomic_fetch_sub(&at_once, 1, __ATOMIC_RELAXED);
    if (left == 0 || ws_submit(handle, NULL) != 0)
        return 0;
    left--;
    return 1;
}

static void start_with(int (*poll)(void *), size_t n, size_t max_pending)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = n;
    config.poll = poll;
    config.max_pending = max_pending;
    ck_assert_int_eq(ws_init(&config), 0);
}

static void await(const long *counter, long value)
{
    for (int i = 0; i < SECONDS * 1000 && __atomic_load_n(counter, __ATOMIC_RELAXED) < value; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    ck_assert_int_ge(__atomic_load_n(counter, __ATOMIC_RELAXED), value);
}

static int stop_quietly(void)
{
    int error;

    while ((error = ws_fini()) == EBUSY)
        sched_yield();
    return error;
}

/* Catches: a source that is polled only once, never again after it had work, never after a plain start, or by two
 * workers at the same time. */
START_TEST(events_become_tasks_before_anybody_sleeps)
{
    ran = calls = errors = 0;
    left = EVENTS;
    start_with(one_event, workers[_i], 0);
    await(&ran, EVENTS);
    await(&calls, EVENTS + 1); /* the last call returns no work */
    ck_assert_int_eq(stop_quietly(), 0);
    ck_assert_int_eq(errors, 0);
}
END_TEST

static WS_LOOP(nothing, int, i, int, unused)
{
    (void)i;
    (void)unused;
}

static int results[8];
static long asked;

static int ask_for_the_impossible(void *arg)
{
    struct ws_stats stats = {.size = sizeof stats};
    ws_group group = WS_GROUP_INIT;
    long r;

    (void)arg;
    results[0] = ws_run(fib, &r, 10);
    results[1] = ws_init(NULL);
    results[2] = ws_fini();
    results[3] = ws_group_wait(&group);
    results[4] = ws_stats_get(&stats);
    results[5] = ws_worker_id();
    wsfj_site_nothing.wsfj_fits = 1; /* a long loop, then a short one */
    results[6] = ws_for(nothing, 0, 10, 0);
    wsfj_site_nothing.wsfj_fits = UINT64_C(1) << 40;
    results[7] = ws_for(nothing, 0, 10, 0);
    __atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
    return 0;
}

/* Catches: a worker that waits for itself. */
START_TEST(what_would_wait_is_refused)
{
    static const int expected[] = {EDEADLK, EDEADLK, EDEADLK, EDEADLK, 0, -1, EDEADLK, EDEADLK};

    start_with(ask_for_the_impossible, workers[_i], 0);
    await(&asked, 1);
    (void)__atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    ck_assert_int_eq(stop_quietly(), 0);
    for (int i = 0; i < 8; i++)
        ck_assert_msg(results[i] == expected[i], "call %d: %d", i, results[i]);
}
END_TEST

static long refused;

static int flood(void *arg)
{
    (void)arg;
    for (int i = 0; i < 100; i++) {
        int error = ws_submit(handle, NULL);

        if (error == 0)
            left++;
        else if (error == EAGAIN)
            (void)__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
        else if (error != EDEADLK) /* the runtime is being stopped */
            errors++;
    }
    return 0;
}

/* Catches: a worker that waits in ws_submit() for room that only workers make; a stop that waits for a worker that
 * waits for the stop. */
START_TEST(a_flood_is_refused_and_never_waits)
{
    for (int i = 0; i < 50; i++) {
        long r = 0;

        ran = left = errors = refused = 0;
        start_with(flood, workers[_i], 10);
        ck_assert_int_eq(ws_run(fib, &r, 10), 0);
        if (i % 2)
            for (int j = 0; j < SECONDS * 1000 && !__atomic_load_n(&refused, __ATOMIC_RELAXED); j++)
                nanosleep(&(struct timespec){0, 1000000}, NULL);
        ck_assert_int_eq(stop_quietly(), 0);
        ck_assert_int_eq(errors, 0);
        ck_assert_int_eq(ran, left);
        ck_assert(i % 2 == 0 || refused > 0);
    }
}
END_TEST

#define FOUND 400L

/* Found work: any value but 0. What was found is no task, so nothing but the value tells of it. Each value comes often in
 * a row: a worker polls more than once before it sleeps. */
static int found_often(void *arg)
{
    static const int values[] = {1, -1, 2, INT_MIN, INT_MAX, 256};
    long n = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);

    (void)arg;
    return n < FOUND ? values[n / 8 % 6] : 0;
}

/* Catches: a value other than 1 that counts as no work: the worker then sleeps, and nothing wakes it. */
START_TEST(any_value_but_0_is_work)
{
    ws_config config;

    calls = 0;
    ws_config_default(&config);
    config.num_workers = 1;
    config.poll = found_often;
    config.spin_us = _i ? 0 : WS_SPIN_DEFAULT;
    ck_assert_int_eq(ws_init(&config), 0);
    await(&calls, FOUND + 1);
    ck_assert_int_eq(stop_quietly(), 0);
}
END_TEST

#define FORKS 40

static long is_polling, stops, forked, children_wrong;

/* While another thread is in ws_fini(), which waits for this worker's end. */
static int forks_during_the_stop(void *arg)
{
    (void)arg;
    if (!__atomic_load_n(&ran, __ATOMIC_RELAXED))
        return 0;
    __atomic_store_n(&is_polling, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&stops, __ATOMIC_ACQUIRE))
        sched_yield();
    for (; forked < FORKS; forked++) {
        pid_t pid = fork();
        int status = 0;

        if (pid == 0)
            _exit(7);
        children_wrong += pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7;
    }
    return 0;
}

static int fork_in_poll(long unused)
{
    (void)unused;
    alarm(PATIENCE_S);
    start_with(forks_during_the_stop, 1, 0);
    if (ws_submit(handle, NULL) != 0)
        return 1;
    while (!__atomic_load_n(&is_polling, __ATOMIC_ACQUIRE))
        sched_yield();
    __atomic_store_n(&stops, 1, __ATOMIC_RELEASE);
    return stop_quietly() != 0 || forked != FORKS || children_wrong || ws_num_workers() != 0;
}

/* Catches: a fork() in the poll function that waits for the lock of a thread that stops the runtime, and that waits for
 * the poll function. */
START_TEST(a_fork_inside_waits_for_no_stop)
{
    struct outcome o = in_child(fork_in_poll, 0);

    expect_exit(&o, 0);
}
END_TEST

static long may_return;

static int waits_to_return(void *unused)
{
    (void)unused;
    (void)__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&may_return, __ATOMIC_ACQUIRE))
        sched_yield();
    return 0;
}

static int fork_meanwhile(long unused)
{
    pid_t pid;
    int status;

    (void)unused;
    alarm(PATIENCE_S);
    start_with(waits_to_return, 1, 0);
    await(&calls, 1);
    pid = fork();
    __atomic_store_n(&may_return, 1, __ATOMIC_RELEASE);
    if (pid == 0) {
        calls = 0;
        start_with(waits_to_return, 1, 0);
        await(&calls, 1);
        _exit(stop_quietly());
    }
    return pid < 0 || waitpid(pid, &status, 0) != pid || status || stop_quietly();
}

/* Catches: a child of a fork that never asks, because a thread of the parent was in the function. */
START_TEST(the_child_of_a_fork_asks_anew)
{
    struct outcome o = in_child(fork_meanwhile, 0);

    expect_exit(&o, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("poll");

    tcase_add_loop_test(tcase, events_become_tasks_before_anybody_sleeps, 0, WORKERS);
    tcase_add_loop_test(tcase, what_would_wait_is_refused, 0, WORKERS);
    tcase_add_loop_test(tcase, a_flood_is_refused_and_never_waits, 0, WORKERS);
    tcase_add_loop_test(tcase, any_value_but_0_is_work, 0, 2);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_fork_inside_waits_for_no_stop);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, the_child_of_a_fork_asks_anew);
    return run_case("poll", tcase);
}
