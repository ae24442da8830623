/* SPDX-License-Identifier: MIT */
/* WSFJ_DISPLAY=1: what ws_fini() says when it returns EBUSY. lib/observe/busy.c. */
#include "../support/flags.h"
#include "../support/heard.h"
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>

static int holds, may_end;
static pid_t holder;

static void begin(const char *display, size_t n)
{
    setenv("WSFJ_DISPLAY", display, 1);
    listen_begin();
    start_runtime(n, 0, 0); /* workers sleep soon, and a caller of ws_run() takes their places */
    while (hear(0))
        ;
    hear_nothing();
}

/* The lines of one refusal, in which the thread stands where %d is. */
static void said(const char *format, pid_t tid)
{
    char line[200];

    ck_assert_int_eq(ws_fini(), EBUSY);
    while (hear(0))
        ;
    snprintf(line, sizeof line, format, (int)tid);
    ck_assert_msg(strstr(heard, line) != NULL, "no '%s' in: %.2000s", line, heard);
}

static void end(void)
{
    raise_flag(&may_end);
    stop_runtime();
    listen_end();
}

static void hold(void *unused)
{
    (void)unused;
    holder = (pid_t)syscall(SYS_gettid);
    raise_flag(&holds);
    wait_for(&may_end);
}

static WS_TASK_VOID(held_root, pid_t, caller)
{
    if ((pid_t)syscall(SYS_gettid) == caller)
        hold(NULL);
}

/* Until the caller itself serves a worker. */
static void *run_root(void *unused)
{
    while (!is_raised(&holds))
        (void)ws_run(held_root, (pid_t)syscall(SYS_gettid));
    return unused;
}

/* Catches: a caller of ws_run() whose thread is not named, or another one; a task without its name. */
START_TEST(a_region_is_named)
{
    pthread_t thread;

    begin("1", 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_root, NULL), 0);
    wait_for(&holds);
    said("  thread %d, in ws_run(): worker ", holder);
    ck_assert_ptr_nonnull(strstr(heard, "libwsfj: ws_fini(): EBUSY: calls and phases: 1; detached tasks: 0\n"));
    ck_assert_ptr_nonnull(strstr(heard, " runs held_root ("));
    raise_flag(&may_end);
    pthread_join(thread, NULL);
    end();
}
END_TEST

static void hold_in_section(void *unused)
{
    WS_BLOCKING
    {
        hold(unused);
    }
}

static void wait_for_held(void *held)
{
    (void)ws_group_wait(held);
}

/* Catches: the same of a detached task that runs, or blocks; one that waits and is left out; a count that is wrong. */
START_TEST(detached_tasks_are_named)
{
    static ws_group held = WS_GROUP_INIT;

    begin("1", 1);
    ck_assert_int_eq(ws_group_submit(&held, _i ? hold_in_section : hold, NULL), 0);
    wait_for(&holds);
    if (_i) {
        uint64_t before = read_stats().waits;

        ck_assert_int_eq(ws_submit(wait_for_held, &held), 0);
        while (read_stats().waits == before)
            sched_yield();
    }
    said(_i ? "  thread %d: blocks in hold_in_section (" : "  thread %d: worker 0 runs hold (", holder);
    ck_assert_ptr_nonnull(strstr(heard, _i ? ": EBUSY: calls and phases: 0; detached tasks: 2\n"
                                           : ": EBUSY: calls and phases: 0; detached tasks: 1\n"));
    ck_assert_int_eq(strstr(heard, "  no thread: waits: wait_for_held (") != NULL, _i);
    ck_assert_ptr_null(strstr(heard, "waits: hold"));
    end();
}
END_TEST

static void calls_fini(void *error)
{
    holder = (pid_t)syscall(SYS_gettid);
    *(int *)error = ws_fini();
}

/* Catches: a call that refuses itself without a word. */
START_TEST(a_task_that_calls_is_named)
{
    ws_group group = WS_GROUP_INIT;
    int error = 0;
    char line[100];

    begin("1", 1);
    ck_assert_int_eq(ws_group_submit(&group, calls_fini, &error), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(error, EBUSY);
    while (hear(0))
        ;
    snprintf(line, sizeof line, "libwsfj: ws_fini(): EBUSY: thread %d has called it inside a task\n", (int)holder);
    ck_assert_str_eq(heard, line);
    end();
}
END_TEST

/* Catches: lines without end in a program that repeats the call; lines that were not asked for. */
START_TEST(it_is_said_seldom_or_never)
{
    uint64_t from, lines = 0;

    begin(_i ? "1" : "0", 1);
    from = now();
    ck_assert_int_eq(ws_phase_begin(), 0);
    said(_i ? "libwsfj: ws_fini(): EBUSY: calls and phases: 1 (a phase has not ended); detached tasks: 0\n" : "", 0);
    ck_assert(_i || !*heard);
    hear_nothing();
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(ws_fini(), EBUSY);
    while (hear(0))
        ;
    for (char *at = heard; (at = strstr(at, "EBUSY")); at++)
        lines++;
    ck_assert_uint_le(lines, _i ? (now() - from) / 1000000000 : 0);
    ck_assert_int_eq(ws_phase_end(), 0);
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("busy");

    tcase_add_test(tcase, a_region_is_named);
    tcase_add_loop_test(tcase, detached_tasks_are_named, 0, 2);
    tcase_add_test(tcase, a_task_that_calls_is_named);
    tcase_add_loop_test(tcase, it_is_said_seldom_or_never, 0, 2);
    return run_case("busy", tcase);
}
