/* SPDX-License-Identifier: MIT */
/*
 * Workers that have nothing to do, and the callers of ws_run() that use their slots, seen from inside (libwsfjcore).
 * Neighbours: user/idle.c, user/phases.c and user/poll.c, through the public interface; stress/guests.c. A faulty library
 * may make the program hang until the test's time runs out.
 */
#include "../support/fib.h"
#include "../support/flags.h"
#include "../support/runtime.h"

#include "base/atomic.h"
#include "base/thread.h"
#include "idle/idle_counts.h"
#include "idle/outside.h"
#include "idle/preempt.h"
#include "worker/awake.h"
#include "worker/worker.h"

#include <pthread.h>
#include <stdlib.h>

enum { ALL = 2, MANY = 200, ROUNDS = 10 };

static void await_sleepers(int n)
{
    while (wsfj_idle_counts().sleeping != n)
        sched_yield();
}

/* Catches: workers that search for ever although no thread is inside the runtime, just because none of them may sleep
 * while one is. */
START_TEST(with_nobody_inside_all_sleep)
{
    long r;

    start_runtime(ALL, 0, WS_SPIN_FOREVER);
    await_sleepers(ALL);
    ck_assert_int_eq(ws_run(fib, &r, 10), 0);
    await_sleepers(ALL);
    stop_runtime();
}
END_TEST

static void nothing(void *unused)
{
    (void)unused;
}

/* Catches: a worker that still shows the stack of its last task, or stays in the awake set: then those that look think that
 * something runs, or look at more workers than they need. */
START_TEST(who_sleeps_shows_no_stack)
{
    ws_group group = WS_GROUP_INIT;
    long r;

    start_runtime(ALL, 0, 0);
    for (int i = 0; i < ROUNDS; i++) {
        ck_assert_int_eq(ws_group_submit(&group, nothing, NULL), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        ck_assert_int_eq(ws_run(fib, &r, 12), 0);
        await_sleepers(ALL);
        for (int w = 0; w < ALL; w++)
            ck_assert_ptr_null(load_seq(&wsfj_workers[w].stack));
        ck_assert_uint_eq(wsfj_awake_members(0), 0);
    }
    stop_runtime();
}
END_TEST

/* Catches: a worker that has found the only task and wakes another worker, which has nothing to do (PARK-9); that does so
 * where there are many workers. */
START_TEST(a_task_alone_wakes_one_worker)
{
    const unsigned workers = _i ? MANY : ALL;
    ws_group group = WS_GROUP_INIT;
    uint64_t before;

    start_runtime(workers, 0, 0);
    await_sleepers((int)workers);
    before = read_stats().wakes;
    for (int i = 0; i < ROUNDS; i++) {
        ck_assert_int_eq(ws_group_submit(&group, nothing, NULL), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        await_sleepers((int)workers);
    }
    /* Fewer if a worker that falls asleep finds the task: it is counted already when it rechecks, and logs no wake-up. */
    ck_assert_uint_le(read_stats().wakes, before + ROUNDS);
    ck_assert_uint_gt(read_stats().wakes, before);
    stop_runtime();
}
END_TEST

static pthread_t caller;
static int polls, stolen;
static long wrong, own;

static int finds_nothing(void *unused)
{
    (void)unused;
    if (polls && pthread_equal(pthread_self(), caller))
        add(&wrong, 1);
    return 0;
}

/* Ends when the guest, which waits for it, has left its slot. By then no slot has a guest. */
static WS_TASK_VOID(child, unsigned, slot)
{
    raise_flag(&stolen);
    while (load_seq(&wsfj_workers[slot].park) == WSFJ_PARK_GUEST)
        sched_yield();
    for (int w = 0; w < ALL; w++)
        store_relaxed(&wsfj_workers[w].guest, 0);
}

static WS_TASK_VOID(waits_for_the_child, int, pinned)
{
    if (!pthread_equal(pthread_self(), caller))
        return; /* another thread runs it */
    if (pinned)
        ck_assert_int_eq(ws_pin(), 0);
    stolen = 0;
    ws_spawn(child, (unsigned)ws_worker_id());
    wait_for(&stolen);
    ws_sync();
    if (!pinned)
        return;
    add(&wrong, load_relaxed(&wsfj_workers[ws_worker_id()].guest) != wsfj_thread_id());
    add(&wrong, !pthread_equal(pthread_self(), caller));
    ws_unpin();
    add(&own, 1);
}

static void run_as_guest(int pinned)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = ALL;
    config.spin_us = 0;
    config.bind = WS_BIND_NONE;
    config.poll = finds_nothing;
    ck_assert_int_eq(setenv("WSFJ_DUMP_SIGNAL", "USR2", 1), 0); /* or nobody needs to know the guest */
    ck_assert_int_eq(ws_init(&config), 0);
    caller = pthread_self();
    polls = 1;
    for (int i = 0; i < ROUNDS; i++) {
        await_sleepers(ALL); /* then a caller takes a slot */
        ck_assert_int_eq(ws_run(waits_for_the_child, pinned), 0);
    }
    polls = 0;
    stop_runtime();
    ck_assert_int_eq(wrong, 0);
}

/* Catches: a caller that calls the program's source of work, which may take long, and so returns late. */
START_TEST(a_guest_does_not_poll)
{
    run_as_guest(0);
}
END_TEST

/* Catches: a dump that asks another thread for the frames of a pinned fiber which has got another slot. */
START_TEST(a_pinned_guest_is_known_where_it_goes_on)
{
    run_as_guest(1);
    ck_assert_int_gt(own, 0);
}
END_TEST

static void sleeps(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_sleep_until(ws_now() + 1000000), 0);
}

/* The rows of all workers. */
static uint32_t rows(uint32_t *least)
{
    uint32_t sum = 0;

    *least = UINT32_MAX;
    for (unsigned i = 0; i < ALL; i++) {
        uint32_t row = load_relaxed(&wsfj_workers[i].outside);

        ck_assert_uint_eq(wsfj_workers[i].id, i);
        *least = row < *least ? row : *least;
        sum += row;
    }
    return sum;
}

static void run_sleeper(void)
{
    ws_group group = WS_GROUP_INIT;

    ck_assert_int_eq(ws_group_submit(&group, sleeps, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
}

/* Catches: a worker that gives up its searches early for ever, because what it finds outside while it searches does not end the
 * row of sleeps that found something. In a phase it searches until it finds something. There is no preempter, which on a single
 * CPU always finds it first. A task that is held up until its time has come does not sleep: then another try. */
START_TEST(what_a_search_finds_outside_ends_a_row_of_sleeps)
{
    uint32_t least;

    start_runtime(ALL, 0, WS_SPIN_FOREVER);
    store_seq(&wsfj_preempt_state, (uint32_t)WSFJ_PREEMPT_BROKEN);
    ck_assert_int_eq(ws_phase_begin(), 0);
    for (int i = 0; i < ROUNDS; i++) {
        int tries = 0;

        do {
            ck_assert_int_lt(tries++, MANY);
            for (unsigned w = 0; w < ALL; w++)
                store_relaxed(&wsfj_workers[w].outside, 7u);
            run_sleeper();
            (void)rows(&least);
        } while (least > 0);
    }
    ck_assert_int_eq(ws_phase_end(), 0);
    stop_runtime();
}
END_TEST

/* Catches: a sleep that found something and is not counted. A worker that is held up for a millisecond searches so long: then
 * another try. */
START_TEST(a_sleep_that_finds_something_outside_is_counted)
{
    uint32_t least, before;
    int tries = 0;

    start_runtime(ALL, 0, 0);
    do {
        ck_assert_int_lt(tries++, MANY);
        await_sleepers(ALL);
        before = rows(&least);
        run_sleeper();
    } while (rows(&least) <= before);
    stop_runtime();
}
END_TEST

/* Catches: searches that are short after the first sleep, or only after the third; one that never are long again. */
START_TEST(in_a_row_of_sleeps_two_of_sixteen_searches_are_long)
{
    struct wsfj_worker *w = aligned_alloc(WSFJ_CACHE_LINE, sizeof *w);

    ck_assert_ptr_nonnull(w);
    for (uint32_t i = 0; i < 40; i++) {
        w->outside = i;
        ck_assert_uint_eq(wsfj_outside_haste(w), i % 16 < 2 ? 1 : 4);
    }
    free(w);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("idle");

    tcase_add_test(tcase, with_nobody_inside_all_sleep);
    tcase_add_test(tcase, who_sleeps_shows_no_stack);
    tcase_add_loop_test(tcase, a_task_alone_wakes_one_worker, 0, 2);
    tcase_add_test(tcase, a_guest_does_not_poll);
    tcase_add_test(tcase, a_pinned_guest_is_known_where_it_goes_on);
    tcase_add_test(tcase, what_a_search_finds_outside_ends_a_row_of_sleeps);
    tcase_add_test(tcase, a_sleep_that_finds_something_outside_is_counted);
    tcase_add_test(tcase, in_a_row_of_sleeps_two_of_sixteen_searches_are_long);
    return run_case("idle", tcase);
}
