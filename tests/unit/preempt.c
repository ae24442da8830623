/* SPDX-License-Identifier: MIT */
/*
 * Giving way to queued work (lib/idle/preempt.c, lib/sched/give_way.c): tests that need internal functions of the library.
 * The others are in tests/user/preemption.c. A faulty library makes the program hang until the test's time runs out.
 */
#include "../support/fib.h"
#include "../support/heard.h"
#include "../support/runtime.h"

#include "base/atomic.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/preempt.h"
#include "idle/queued.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static uint32_t begun, done, place, counted;
static bool refuse;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    return refuse ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}

static WS_TASK_VOID(spawn_until_done)
{
    add_seq(&begun, 1);
    while (!load_seq(&done)) {
        long x = 0;

        ws_spawn(fib, &x, 10L);
        ws_sync();
    }
}

static void hog(void *unused)
{
    (void)unused;
    store_seq(&place, (uint32_t)ws_worker_id());
    spawn_until_done();
}

static void finish(void *unused)
{
    (void)unused;
    store_seq(&done, 1u);
}

static void count(void *unused)
{
    (void)unused;
    add_seq(&counted, 1);
}

/* A task without an end on worker 0. */
static void occupy_the_first(size_t workers)
{
    do {
        store_seq(&begun, 0u);
        store_seq(&done, 0u);
        start_runtime(workers, 0, 0);
        ck_assert_int_eq(ws_submit(hog, NULL), 0);
        while (!load_seq(&begun))
            sched_yield();
        if (load_seq(&place) == 0)
            return;
        finish(NULL);
        stop_runtime();
    } while (true);
}

/* Catches: a submitter that says nothing of its task though a worker sleeps and none searches, or though the preempter must
 * be told; one that speaks each time. */
START_TEST(a_submitter_speaks_if_anybody_must_hear)
{
    static const struct {
        enum wsfj_preempt state;
        int searching, sleeping;
        bool expected;
    } cases[] = {
        {WSFJ_PREEMPT_QUIET, 0, 0, true},     {WSFJ_PREEMPT_QUIET, 1, 1, true},     {WSFJ_PREEMPT_READY, 0, 0, true},
        {WSFJ_PREEMPT_READY, 0, -1, true},    {WSFJ_PREEMPT_READY, 0, 1, true},     {WSFJ_PREEMPT_READY, 1, 0, false},
        {WSFJ_PREEMPT_READY, 1, 1, false},    {WSFJ_PREEMPT_INSPECTS, 0, 0, false}, {WSFJ_PREEMPT_INSPECTS, 0, 1, true},
        {WSFJ_PREEMPT_INSPECTS, 1, 0, false}, {WSFJ_PREEMPT_INSPECTS, 1, 1, false}, {WSFJ_PREEMPT_BROKEN, 0, 0, false},
        {WSFJ_PREEMPT_BROKEN, 0, 1, true},    {WSFJ_PREEMPT_INSPECTS, 0, -1, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wsfj_preempt_state = cases[i].state;
        wsfj_idle_state = ((uint64_t)(uint32_t)cases[i].sleeping << 32) + (unsigned)cases[i].searching;
        ck_assert_msg(wsfj_queued_must_tell() == cases[i].expected, "case %zu", i);
    }
}
END_TEST

/* Catches: workers that are woken for a task, become surplus and retire without a request to the busy worker: then no
 * worker is idle, and the task waits. */
START_TEST(surplus_workers_leave_the_task_to_those_who_run)
{
    unsigned workers = 2 + (unsigned)_i;

    occupy_the_first(workers);
    while (wsfj_idle_counts().sleeping < (int)workers - 1)
        sched_yield();
    wsfj_cpu_limit_change(1);
    ck_assert_int_eq(ws_submit(finish, NULL), 0);
    stop_runtime();
}
END_TEST

/* Catches: a runtime that cannot start its preempter and tries again and again, each time with a line; a task that is
 * lost then; a runtime that does not try again after its next start. */
START_TEST(without_the_thread_tasks_wait_for_the_end_of_a_region)
{
    const char *first;
    char line[200];

    snprintf(
        line, sizeof line,
        "libwsfj: the thread that makes busy workers give way could not be started (%s): queued tasks may wait until a worker is free\n",
        strerror(EAGAIN));

    listen_begin();
    occupy_the_first(1);
    refuse = true;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(ws_submit(count, NULL), 0);
    ck_assert(hear_until(line));
    ck_assert_uint_eq(load_seq(&counted), 0);
    finish(NULL);
    stop_runtime();
    ck_assert_uint_eq(load_seq(&counted), 3);
    while (hear(0))
        ;
    first = strstr(heard, line);
    ck_assert_ptr_null(strstr(first + 1, line));

    refuse = false;
    occupy_the_first(1);
    ck_assert_int_eq(ws_submit(finish, NULL), 0);
    stop_runtime();
}
END_TEST

static void hears_nothing(void *unused)
{
    (void)unused;
    add_seq(&begun, 1);
    while (!load_seq(&done))
        sched_yield();
}

/* Catches: a worker whose task ignores all requests, and which alone is asked again and again once it was asked: what is
 * queued waits for ever, though the other worker's task would give way. */
START_TEST(who_ignores_a_request_does_not_keep_it_from_others)
{
    start_runtime(2, 0, 0);
    ck_assert_int_eq(ws_submit(hears_nothing, NULL), 0);
    ck_assert_int_eq(ws_submit(hog, NULL), 0);
    while (load_seq(&begun) < 2)
        sched_yield();
    for (unsigned i = 0; i < 6; i++) {
        ck_assert_int_eq(ws_submit(count, NULL), 0);
        while (load_seq(&counted) == i)
            sched_yield();
    }
    finish(NULL);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("preempt");

    tcase_add_test(tcase, a_submitter_speaks_if_anybody_must_hear);
    tcase_add_loop_test(tcase, surplus_workers_leave_the_task_to_those_who_run, 0, 3);
    tcase_add_test(tcase, who_ignores_a_request_does_not_keep_it_from_others);
    tcase_add_test(tcase, without_the_thread_tasks_wait_for_the_end_of_a_region);
    return run_case("preempt", tcase);
}
