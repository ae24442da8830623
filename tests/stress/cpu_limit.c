/* SPDX-License-Identifier: MIT */
/*
 * The number of workers that may run changes while they work. The tests change it themselves, through libwsfjcore: with
 * an explicit number of workers the library does not. PARK-7 in doc/protocols.md.
 */
#include "idle/cpu_limit.h"

#include "idle/allowed.h"
#include "worker/worker.h"

#include "../support/fib.h"
#include "stress.h"

#include <fenv.h>
#include <pthread.h>
#include <string.h>

static const size_t workers[] = {1, 2, 3, 8, 33};
#define CONFIGURATIONS (2 * (int)(sizeof workers / sizeof *workers))

static ws_group group;
static long done, wrong, failed;
static int stop;

static void nap(long ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

static void finish(void)
{
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(failed, 0);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}

/* Changes the number now and then until it is told to stop. */
static void *change_at_random(void *argument)
{
    uint64_t seed = 88172645463325252u;

    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        wsfj_cpu_limit_change(1 + draw(&seed, (unsigned)ws_num_workers()));
        if (draw(&seed, 2))
            nap(draw(&seed, 200000));
        else
            spin_random(&seed, 12);
    }
    return argument;
}

static void detached(void *depth)
{
    ws_group own = WS_GROUP_INIT;
    long x;

    ws_frame();
    ws_spawn(fib, &x, 9);
    ws_yield();
    for (int i = 0; depth && i < 3; i++)
        if (ws_group_submit(&own, detached, (void *)((long)depth - 1)) != 0)
            count(&failed);
    ws_sync();
    if (ws_group_wait(&own) != 0)
        count(&failed);
    if (x != 34)
        count(&wrong);
    count(&done);
}

#define CALLERS 4
#define RUNS COUNT(30, 8)
#define DEPTH 4
#define NODES ((243 - 1) / 2) /* of each submission */

static void *run_and_submit(void *argument)
{
    for (long i = 0; i < RUNS; i++) {
        long n = 12 + i % 8, result = -1;

        if (ws_run(fib, &result, n) != 0 || ws_group_submit(&group, detached, (void *)(long)DEPTH) != 0)
            count(&failed);
        if (result != serial_fib(n))
            count(&wrong);
    }
    return argument;
}

/* Catches: a task, a suspended parent or a caller lost with a worker that retires, or with a worker that is recalled
 * while it retires: the test hangs. */
START_TEST(nothing_is_lost_while_the_number_changes)
{
    pthread_t changer, callers[CALLERS];

    start_nth(workers, _i, WS_SPIN_DEFAULT);
    ck_assert_int_eq(pthread_create(&changer, NULL, change_at_random, NULL), 0);
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&callers[i], NULL, run_and_submit, NULL), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    raise_flag(&stop);
    pthread_join(changer, NULL);
    ck_assert_int_eq(done, (long)CALLERS * RUNS * NODES);
    finish();
}
END_TEST

static long running, most;

/* Long enough for all tasks to meet, without work for a processor. */
static void meet(void *argument)
{
    long here = __atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST), seen = get(&most);

    (void)argument;
    while (here > seen && !__atomic_compare_exchange_n(&most, &seen, here, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    nap(100000);
    (void)__atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
}

static WS_TASK_VOID(meet_many, int, n)
{
    for (int i = 0; i < n; i++)
        ws_spawn(meet_many, 0);
    if (n == 0)
        meet(NULL);
    ws_sync();
}

static void *run_many(void *argument)
{
    if (ws_run(meet_many, 10) != 0)
        count(&failed);
    return argument;
}

/* Regions and detached tasks together, and the most that ran at the same time. */
static long most_at_once(void)
{
    pthread_t callers[CALLERS];

    __atomic_store_n(&most, 0, __ATOMIC_SEQ_CST);
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&callers[i], NULL, run_many, NULL), 0);
    for (int i = 0; i < 50; i++)
        ck_assert_int_eq(ws_group_submit(&group, meet, NULL), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    return get(&most);
}

/* Catches: a surplus worker that goes on; a guest on a surplus slot; a surplus sleeper that is woken. A worker that was
 * about to begin may run one thing more, so the limit must hold in three rounds in a row. */
START_TEST(no_more_run_at_once_than_are_allowed)
{
    uint64_t seed = 88172645463325252u + (uint64_t)_i;

    start_nth(workers, _i, WS_SPIN_DEFAULT);
    for (int round = 0; round < COUNT(6, 3); round++) {
        uint64_t end = now() + LONG_NS;
        unsigned allowed = 1 + draw(&seed, (unsigned)ws_num_workers());

        if (round % 3 == 0)
            nap(2000000); /* all asleep */
        wsfj_cpu_limit_change(allowed);
        for (int in_a_row = 0; in_a_row < 3; in_a_row++) {
            if (most_at_once() > (long)allowed)
                in_a_row = -1;
            ck_assert_msg(now() < end, "%ld at once, %u are allowed", most, allowed);
        }
    }
    finish();
}
END_TEST

static void meet_again(void *argument)
{
    meet(argument);
    if (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE) && ws_group_submit(&group, meet_again, argument) != 0)
        count(&failed);
}

/* Catches: a surplus worker that goes on as long as its own queue is not empty. */
START_TEST(a_surplus_worker_leaves_its_queue_to_others)
{
    uint64_t end = now() + LONG_NS;

    start_nth(workers + 1, _i, WS_SPIN_DEFAULT);
    for (size_t i = 0; i < 3 * ws_num_workers(); i++)
        ck_assert_int_eq(ws_group_submit(&group, meet_again, NULL), 0);
    while (get(&most) < 2 && now() < end)
        nap(100000);
    wsfj_cpu_limit_change(1);
    do {
        __atomic_store_n(&most, 0, __ATOMIC_SEQ_CST);
        nap(20000000);
    } while (get(&most) != 1 && now() < end);
    ck_assert_int_eq(get(&most), 1);
    raise_flag(&stop);
    finish();
}
END_TEST

static WS_TASK(int, whose_place)
{
    nap(1000000);
    return ws_worker_id();
}

static void *run_at_once(void *argument)
{
    int place = -1;

    if (ws_run(whose_place, &place) != 0)
        count(&failed);
    if (!wsfj_allowed_to_run((unsigned)place))
        count(&wrong);
    return argument;
}

static void await_all_asleep(void)
{
    uint64_t end = now() + LONG_NS;

    for (size_t i = 0; i < ws_num_workers(); i++)
        while (__atomic_load_n(&wsfj_workers[i].park, __ATOMIC_ACQUIRE) != WSFJ_PARK_ASLEEP && now() < end)
            nap(100000);
    ck_assert(now() < end);
}

/* Catches: a guest, or a woken worker, on a slot that has become surplus while it slept. */
START_TEST(nobody_begins_on_a_place_that_became_surplus_asleep)
{
    pthread_t callers[CALLERS];

    start_nth(workers + 1, _i, WS_SPIN_DEFAULT);
    for (int round = 0; round < COUNT(20, 5); round++) {
        wsfj_cpu_limit_change((unsigned)ws_num_workers());
        await_all_asleep();
        wsfj_cpu_limit_change(1 + (unsigned)round % 2);
        for (int i = 0; i < CALLERS; i++)
            ck_assert_int_eq(pthread_create(&callers[i], NULL, run_at_once, NULL), 0);
        for (int i = 0; i < CALLERS; i++)
            pthread_join(callers[i], NULL);
    }
    finish();
}
END_TEST

static void wait_for_all(void *n)
{
    uint64_t end = now() + LONG_NS;

    count(&done);
    while (get(&done) < (long)n && now() < end)
        nap(10000);
    if (get(&done) < (long)n)
        count(&wrong);
}

/* Catches: a worker that retires after it was allowed again, and is not woken: these tasks need all workers at the same
 * time. */
START_TEST(after_growth_all_run_again)
{
    uint64_t seed = 88172645463325252u;

    start_nth(workers, _i, WS_SPIN_DEFAULT);

    unsigned n = (unsigned)ws_num_workers();

    for (int round = 0; round < COUNT(200, 40) && !wrong; round++) {
        done = 0;
        wsfj_cpu_limit_change(1 + draw(&seed, n));
        if (draw(&seed, 4) == 0)
            nap(draw(&seed, 100000));
        else
            spin_random(&seed, 14);
        wsfj_cpu_limit_change(n);
        for (unsigned i = 0; i < n; i++)
            ck_assert_int_eq(ws_group_submit(&group, wait_for_all, (void *)(long)n), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    }
    finish();
}
END_TEST

static void once(void *argument)
{
    (void)argument;
    count(&done);
}

/* Catches: a last searcher that retires without a recheck: a task came while it searched, so no worker was woken for
 * the task, and it waits while workers that may run sleep. */
START_TEST(no_task_is_left_lying_when_the_last_searcher_retires)
{
    uint64_t seed = 88172645463325252u;

    start_nth(workers + 1, _i, WS_SPIN_DEFAULT);

    unsigned n = (unsigned)ws_num_workers();

    for (long round = 0; round < COUNT(1500, 300); round++) {
        uint64_t end = now() + LONG_NS;

        wsfj_cpu_limit_change(n);
        wsfj_cpu_limit_change(1); /* recalled workers search for a moment, the first one sleeps */
        spin_random(&seed, 11);
        ck_assert_int_eq(ws_submit(once, NULL), 0);
        while (get(&done) <= round && now() < end)
            nap(1000);
        ck_assert_int_eq(get(&done), round + 1);
        if (round % 4 == 0)
            nap(100000); /* so that it sleeps again */
    }
    stop_runtime();
}
END_TEST

static int child_runs, stolen_by_1, parent_on;

static WS_TASK_VOID(outlast, struct wsfj_worker **, home)
{
    struct wsfj_worker *w = *home;

    raise_flag(&child_runs);
    stolen_by_1 = w->id == 0 && ws_worker_id() == 1;
    if (stolen_by_1) {
        uint64_t end = now() + LONG_NS;

        /* The parent is suspended and its worker sleeps, so no mailbox is open. */
        while (__atomic_load_n(&w->park, __ATOMIC_ACQUIRE) != WSFJ_PARK_ASLEEP && now() < end)
            nap(10000);
        wsfj_cpu_limit_change(1);
    }
}

static void suspended(void *argument)
{
    struct wsfj_worker *home = &wsfj_workers[ws_worker_id()];

    (void)argument;
    ws_frame();
    child_runs = 0;
    ws_spawn(outlast, &home);
    (void)wait_flag(&child_runs, 10000000);
    ws_sync();
    parent_on = ws_worker_id();
}

/* Catches: a surplus worker that resumes the parent of the child it has just finished: the parent may run for long. */
START_TEST(what_a_surplus_worker_could_resume_goes_to_another)
{
    int seen = 0;

    start(2, _i == 0, WS_SPIN_DEFAULT);
    for (uint64_t end = now() + LONG_NS; seen < 20 && now() < end;) {
        wsfj_cpu_limit_change(2);
        ck_assert_int_eq(ws_group_submit(&group, suspended, NULL), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        seen += stolen_by_1;
        ck_assert(!stolen_by_1 || parent_on == 0);
    }
    ck_assert_int_gt(seen, 0);
    finish();
}
END_TEST

static bool runs(const struct wsfj_worker *w)
{
    return __atomic_load_n(&w->stack, __ATOMIC_ACQUIRE) != NULL;
}

/* Of a worker that runs nothing; else 0. */
static uint64_t cpu_time(const struct wsfj_worker *w)
{
    struct timespec t;
    pid_t tid = __atomic_load_n(&w->tid, __ATOMIC_RELAXED);

    if (runs(w))
        return 0; /* it runs the region, which began before the worker was surplus */
    /* The kernel's number for the clock of a thread (its MAKE_THREAD_CPUCLOCK). */
    ck_assert_int_eq(clock_gettime((clockid_t)(~(unsigned)tid << 3 | 6), &t), 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void hold(void *argument)
{
    (void)argument;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        nap(1000000);
}

static WS_TASK_VOID(hold_region)
{
    hold(NULL);
}

static void *run_hold(void *argument)
{
    if (ws_run(hold_region) != 0)
        count(&failed);
    return argument;
}

/* Catches: surplus workers that go on searching, or are woken in vain again and again, while tasks wait for the only
 * worker that may run and that is busy. Also with WSFJ_WAIT=active. */
START_TEST(surplus_workers_sleep)
{
    uint64_t before[33], after[33], end = now() + LONG_NS;
    pthread_t caller; /* with a region under way WSFJ_WAIT=active searches for ever */

    start(workers[1 + _i / 4], _i % 2 == 0, _i / 2 % 2 ? WS_SPIN_FOREVER : WS_SPIN_DEFAULT);

    size_t n = ws_num_workers();

    ck_assert_int_eq(pthread_create(&caller, NULL, run_hold, NULL), 0);
    nap(1000000);
    wsfj_cpu_limit_change(1);
    for (size_t i = 1; i < n; i++)
        while (__atomic_load_n(&wsfj_workers[i].park, __ATOMIC_ACQUIRE) == WSFJ_PARK_AWAKE && !runs(&wsfj_workers[i]) &&
               now() < end)
            nap(1000000);
    ck_assert_int_eq(ws_group_submit(&group, hold, NULL), 0);
    do {
        for (size_t i = 0; i < n; i++)
            before[i] = cpu_time(&wsfj_workers[i]);
        for (int i = 0; i < 10; i++) {
            ck_assert_int_eq(ws_group_submit(&group, once, NULL), 0);
            nap(5000000);
        }
        for (size_t i = 0; i < n; i++)
            after[i] = cpu_time(&wsfj_workers[i]);
    } while (memcmp(before + 1, after + 1, (n - 1) * sizeof *before) != 0 && now() < end);
    ck_assert_int_eq(memcmp(before + 1, after + 1, (n - 1) * sizeof *before), 0);
    raise_flag(&stop);
    pthread_join(caller, NULL);
    finish();
}
END_TEST

static long busy;

/* Keeps its worker with fork/join work, which gives way to a root at its syncs. */
static void keeps_busy(void *unused)
{
    long x;

    (void)unused;
    ws_frame();
    add(&busy, 1);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        ws_spawn(fib, &x, 8);
        ws_sync();
    }
}

static int mode;

WS_TASK_VOID(tells_mode)
{
    (void)wsfj_f;
    mode = fegetround();
}

/* Catches: a root that runs with the floating-point modes of another region, because the worker that took it became surplus before it
 * ran it, and another one did. */
START_TEST(a_root_that_changes_its_worker_keeps_its_modes)
{
    start_runtime(2, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_group_submit(&group, keeps_busy, NULL), 0);
    ck_assert_int_eq(ws_group_submit(&group, keeps_busy, NULL), 0);
    while (get(&busy) < 2)
        nap(100000);
    ck_assert_int_eq(fesetround(FE_UPWARD), 0);
    for (int i = 0; i < COUNT(400, 100); i++) {
        wsfj_cpu_limit_change(1);
        mode = -1;
        ck_assert_int_eq(ws_run(tells_mode), 0);
        ck_assert_int_eq(mode, FE_UPWARD);
        wsfj_cpu_limit_change(2);
    }
    ck_assert_int_eq(fesetround(FE_TONEAREST), 0);
    raise_flag(&stop);
    finish();
}
END_TEST

/* Catches: a stop that does not wake the retired workers; a restart that begins with the last limit. */
START_TEST(stop_and_start_with_retired_workers)
{
    for (int i = 0; i < COUNT(50, 10); i++) {
        start_nth(workers, _i, WS_SPIN_DEFAULT);
        for (size_t w = 0; w < ws_num_workers(); w++)
            ck_assert(wsfj_allowed_to_run((unsigned)w));
        if (i % 3)
            check_fib(12);
        wsfj_cpu_limit_change(1);
        if (i % 2)
            nap(200000);
        check_fib(12);
        ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("supply");

    tcase_add_loop_test(tcase, nothing_is_lost_while_the_number_changes, 0, CONFIGURATIONS);
    tcase_add_loop_test(tcase, no_more_run_at_once_than_are_allowed, 0, CONFIGURATIONS);
    tcase_add_loop_test(tcase, a_surplus_worker_leaves_its_queue_to_others, 0, CONFIGURATIONS - 2);
    tcase_add_loop_test(tcase, nobody_begins_on_a_place_that_became_surplus_asleep, 0, CONFIGURATIONS - 2);
    tcase_add_loop_test(tcase, after_growth_all_run_again, 0, CONFIGURATIONS);
    tcase_add_loop_test(tcase, no_task_is_left_lying_when_the_last_searcher_retires, 0, CONFIGURATIONS - 2);
    tcase_add_loop_test(tcase, what_a_surplus_worker_could_resume_goes_to_another, 0, 2);
    tcase_add_loop_test(tcase, surplus_workers_sleep, 0, 2 * (CONFIGURATIONS - 2));
    tcase_add_test(tcase, a_root_that_changes_its_worker_keeps_its_modes);
    tcase_add_loop_test(tcase, stop_and_start_with_retired_workers, 0, CONFIGURATIONS);
    return run_case("supply", tcase);
}
