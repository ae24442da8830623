/* SPDX-License-Identifier: MIT */
/* WSFJ_WATCHDOG: what is a stall, and what is none. Neighbours: monitor.c; unit/watchdog.c, move by move; dump.c, the
 * dump. */
#include "../support/process.h"
#include "monitored.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#define LONGER 13 /* periods of 100 ms, than the watchdog's second; the same thread counts both */

/* Catches: a stall that is not reported, or reported more than once, or without the task that runs; a second stall that
 * is not reported. */
START_TEST(a_stall_is_reported_once)
{
    begin("100", "1", 2);
    for (unsigned stall = 1; stall <= 2; stall++) {
        reset();
        ck_assert_int_eq(ws_submit(wait_for_flag, NULL), 0);
        while (!__atomic_load_n(&waits, __ATOMIC_ACQUIRE))
            sched_yield();
        while (count(DUMP) < stall)
            ck_assert(hear(PATIENCE_S * 1000));
        pass_periods(LONGER);
        ck_assert_uint_eq(count(DUMP), stall);
        ck_assert_uint_eq(count(": WSFJ_WATCHDOG=1: nothing has moved for 1."), stall);
        ck_assert_uint_eq(count(", wait_for_flag ("), stall);
        ck_assert_uint_eq(count(", detached, has run for 1."), stall);
        release();
        ck_assert(hear_until("finished=1"));
    }
    end();
}
END_TEST

static void stalls_and_stops(void)
{
    setenv("WSFJ_WATCHDOG", "1", 1);
    alarm(PATIENCE_S);
    start(1);
    if (ws_submit(wait_for_flag, NULL))
        _exit(1);
    while (!__atomic_load_n(&waits, __ATOMIC_ACQUIRE))
        sched_yield();
    usleep(400000); /* some comparisons */
    raise(SIGSTOP);
    for (;;)
        pause(); /* until it is killed */
}

static void until_end_of_dump(int from, char *text, size_t size)
{
    size_t length = 0;

    for (ssize_t n = 1; n > 0 && !strstr(text, "end of the dump"); length += n > 0 ? (size_t)n : 0)
        n = read(from, text + length, size - 1 - length);
}

/* Catches: time that counts although the whole process was stopped: a dump of tasks that had no chance to move. The stall goes
 * on afterwards, so a dump comes in any case: it says how much time was counted, which no slow machine makes longer. */
START_TEST(a_stopped_process_does_not_stall)
{
    static char text[1 << 16];
    struct child child;
    int status;

    reset();
    if (begin_child(&child))
        stalls_and_stops();
    ck_assert_int_eq(waitpid(child.pid, &status, WUNTRACED), child.pid);
    ck_assert(WIFSTOPPED(status));
    usleep(2500000);
    ck_assert_int_eq(kill(child.pid, SIGCONT), 0);
    until_end_of_dump(child.read_end, text, sizeof text);
    kill(child.pid, SIGKILL);
    (void)end_child(&child);
    ck_assert_msg(strstr(text, ": WSFJ_WATCHDOG=1: nothing has moved for 1.") != NULL, "%s", text);
}
END_TEST

static WS_TASK(long, leaf, long, n)
{
    return n;
}

/* There is no other fiber and no thief: only the number of pending children changes. */
static WS_TASK_VOID(computes)
{
    while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE))
        (void)ws_call(fib, 15);
}

static void *run_computes(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_run(computes), 0);
    return NULL;
}

/* Catches: a computation of a single worker that is taken for a stall. */
START_TEST(no_stall_in_one_long_task_that_spawns)
{
    pthread_t thread;

    begin("100", "1", 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_computes, NULL), 0);
    pass_periods(LONGER);
    release();
    pthread_join(thread, NULL);
    end();
    ck_assert_msg(!strstr(heard, DUMP), "%s", strstr(heard, DUMP));
}
END_TEST

static void yields_until_told(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE))
        ws_yield();
}

/* Sleeps in between: only the watchdog's second passes, and other tests need the processors. */
static void sleeps_and_yields(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE)) {
        usleep(1000);
        ws_yield();
    }
}

/* Catches: tasks that only yield to each other but are taken for progress; such a stall that is reported more than
 * once. */
START_TEST(tasks_that_only_yield_are_a_stall)
{
    begin("100", "1", (size_t)_i);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(ws_submit(sleeps_and_yields, NULL), 0);
    while (count(DUMP) < 1)
        ck_assert(hear(PATIENCE_S * 1000) && count("WSFJ ") < PATIENCE_S * 10);
    pass_periods(LONGER);
    ck_assert_uint_eq(count(DUMP), 1);
    ck_assert_uint_eq(count(": WSFJ_WATCHDOG=1: nothing has moved for 1."), 1);
    ck_assert_uint_eq(count(" s; tasks have only yielded, "), 1);
    end();
}
END_TEST

static void passes_on(void *unused)
{
    (void)unused;
    if (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE))
        ck_assert_int_eq(ws_submit(passes_on, NULL), 0);
}

/* Computes nearly all the time: the watchdog looks eight times a second, and a yield may take long on a busy machine. */
static void computes_and_yields(void *unused)
{
    (void)unused;
    ws_frame();
    while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE)) {
        (void)ws_call(fib, SANITIZED ? 18 : 26);
        ws_yield();
    }
}

static void blocks_and_yields(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE)) {
        WS_BLOCKING
        {
            usleep(1000);
        }
        ws_yield();
    }
}

/* Catches: progress of one task that is overlooked because other tasks yield, or because the task itself yields. */
START_TEST(no_stall_where_some_yield_and_something_moves)
{
    static ws_function *const moves[] = {passes_on, computes_and_yields, blocks_and_yields};

    begin("100", "1", _i == 1 ? 1 : 2); /* one worker: there is no thief for what it spawns */
    ck_assert_int_eq(ws_submit(yields_until_told, NULL), 0);
    ck_assert_int_eq(ws_submit(yields_until_told, NULL), 0);
    ck_assert_int_eq(ws_submit(moves[_i], NULL), 0);
    pass_periods(LONGER);
    end();
    ck_assert_msg(!strstr(heard, DUMP), "%s", strstr(heard, DUMP));
}
END_TEST

/* Catches: idleness, small regions one after the other, or a long computation that is taken for a stall. */
START_TEST(no_stall_where_there_is_none)
{
    begin("100", "1", 2);
    pass_periods(LONGER);
    for (unsigned before = count("WSFJ "); count("WSFJ ") < before + LONGER; (void)hear(0)) {
        long r;

        usleep(1000);
        for (int i = 0; i < 10; i++)
            ck_assert_int_eq(ws_run(leaf, &r, 1L), 0);
    }
    for (unsigned before = count("WSFJ "); count("WSFJ ") < before + LONGER; (void)hear(0))
        check_fib(SANITIZED ? 18 : 27);
    end();
    ck_assert_msg(!strstr(heard, DUMP), "%s", strstr(heard, DUMP));
}
END_TEST

static ws_event event = WS_EVENT_INIT;
static ws_mutex first = WS_MUTEX_INIT, second = WS_MUTEX_INIT;
static ws_group group = WS_GROUP_INIT;
static int ends[2];

static void waits_for_pipe(void *unused)
{
    (void)unused;
    (void)ws_wait_fd(ends[0], POLLIN, WS_FOREVER);
}

static void sleeps(void *unused)
{
    (void)unused;
    (void)ws_sleep_until(ws_now() + UINT64_C(2000000000));
}

static void waits_for_event(void *unused)
{
    (void)unused;
    (void)ws_event_wait(&event);
}

static void waits_for_group(void *unused)
{
    (void)unused;
    (void)ws_group_wait(&group);
}

/* Catches: tasks that wait for a descriptor, a time or a thread, and for such tasks, that are a stall. */
START_TEST(no_stall_where_something_outside_is_waited_for)
{
    static ws_function *const ways[] = {waits_for_pipe, sleeps, waits_for_event};

    begin("100", "1", 2);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(ws_group_submit(&group, ways[_i], NULL), 0);
    ck_assert_int_eq(ws_submit(waits_for_group, NULL), 0);
    pass_periods(LONGER);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ws_event_set(&event);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    close(ends[0]);
    close(ends[1]);
    end();
    ck_assert_msg(!strstr(heard, DUMP), "%s", strstr(heard, DUMP));
}
END_TEST

static void locks_both(void *is_first)
{
    ws_mutex *own = is_first ? &first : &second, *others = is_first ? &second : &first;

    (void)ws_mutex_lock(own);
    while (!__atomic_load_n(&others->wsfj_state, __ATOMIC_ACQUIRE))
        ws_yield();
    (void)ws_mutex_lock(others);
}

static WS_TASK_VOID(root_waits)
{
    waits_for_event(NULL);
}

/* Two tasks, each of which has the mutex that the other one wants, while a third one waits for a pipe; or two that wait for an
 * event that nobody sets. The only thread waits for them, too. */
static void hangs(int way)
{
    setenv("WSFJ_WATCHDOG", "1", 1);
    unsetenv("WSFJ_SCHEDTRACE");
    alarm(PATIENCE_S);
    start(2);
    if (pipe(ends))
        _exit(1);
    ws_group_submit(&group, way ? waits_for_event : locks_both, NULL);
    ws_group_submit(&group, way ? waits_for_event : locks_both, &first);
    if (!way)
        ws_group_submit(&group, waits_for_pipe, NULL);
    if (way == 2)
        (void)ws_event_wait(&event);
    if (way == 3)
        (void)ws_run(root_waits);
    (void)ws_group_wait(&group);
    _exit(1);
}

/* Catches: tasks that wait for each other and are idleness; a report that does not name them. */
START_TEST(tasks_that_wait_for_each_other_are_a_stall)
{
    static char text[1 << 16];
    struct child child;

    if (begin_child(&child))
        hangs(_i);
    until_end_of_dump(child.read_end, text, sizeof text);
    kill(child.pid, SIGKILL);
    (void)end_child(&child);
    ck_assert_msg(strstr(text, " s; the tasks wait for each other\n") != NULL, "%s", text);
    if (_i == 0) {
        ck_assert_msg(strstr(text, ", locks_both (") && strstr(text, ": waits for the mutex at 0x"), "%s", text);
        ck_assert_msg(strstr(text, " held by stack ") != NULL, "%s", text);
        ck_assert_msg(strstr(text, ", waits_for_pipe (") && strstr(text, ": waits for fd "), "%s", text);
    } else {
        ck_assert_msg(strstr(text, ", waits_for_event (") && strstr(text, ": waits for the event at 0x"), "%s", text);
    }
}
END_TEST

static uint64_t source_that_blocks(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE))
        usleep(1000);
    return WS_FOREVER;
}

static uint64_t source_that_returns(void *unused)
{
    (void)unused;
    return 1000000;
}

/* Catches: a poll source that blocks and of which nothing is said; one that does not block and is named. */
START_TEST(a_source_that_blocks_is_named)
{
    begin("100", "1", (size_t)_i);
    ck_assert_int_eq(ws_poll_add(source_that_returns, NULL), 0);
    pass_periods(LONGER);
    ck_assert_msg(!strstr(heard, DUMP), "%s", strstr(heard, DUMP));
    ck_assert_int_eq(ws_poll_add(source_that_blocks, NULL), 0);
    ck_assert(hear_until("end of the dump"));
    ck_assert_uint_eq(count(": WSFJ_WATCHDOG=1: a poll source has not returned for 1."), 1);
    ck_assert_uint_eq(count("\n  poll source source_that_blocks ("), 1);
    ck_assert_uint_eq(count("): a thread has been in it for 1."), 1);
    pass_periods(LONGER);
    ck_assert_uint_eq(count(DUMP), 1);
    release();
    ck_assert_int_eq(ws_poll_remove(source_that_blocks, NULL), 0);
    ck_assert_int_eq(ws_poll_remove(source_that_returns, NULL), 0);
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("watchdog");

    tcase_add_test(tcase, a_stall_is_reported_once);
    tcase_add_test(tcase, a_stopped_process_does_not_stall);
    tcase_add_test(tcase, no_stall_where_there_is_none);
    tcase_add_test(tcase, no_stall_in_one_long_task_that_spawns);
    tcase_add_loop_test(tcase, tasks_that_only_yield_are_a_stall, 1, 3);
    tcase_add_loop_test(tcase, no_stall_where_some_yield_and_something_moves, 0, 3);
    tcase_add_loop_test(tcase, no_stall_where_something_outside_is_waited_for, 0, 3);
    /* ThreadSanitizer has a thread of its own, which could set an event. */
    tcase_add_loop_test(tcase, tasks_that_wait_for_each_other_are_a_stall, 0, SANITIZED_THREAD ? 1 : 4);
    tcase_add_loop_test(tcase, a_source_that_blocks_is_named, 1, 3);
    return run_case("watchdog", tcase);
}
