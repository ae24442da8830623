/* SPDX-License-Identifier: MIT */
/* Waits in counters and in traces: how each one has ended, and who has ended it. Neighbours: trace.c, queries.c. */
#include "../support/folder.h"
#include "../support/viewed.h"
#include "waits.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>

enum { TASKS = 7 };
#define MS UINT64_C(1000000)

static ws_event event = WS_EVENT_INIT;
static ws_scope scopes[TASKS];
static int pipes[TASKS][2];
static long open_scopes, wrong;
static ws_group group = WS_GROUP_INIT;

static void open_pipes(void)
{
    for (int i = 0; i < TASKS; i++)
        ck_assert_int_eq(pipe(pipes[i]), 0);
}

static void close_pipes(void)
{
    for (int i = 0; i < TASKS; i++) {
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
}

static void run_all(ws_function *fn)
{
    for (intptr_t i = 0; i < TASKS; i++)
        ck_assert_int_eq(ws_group_submit(&group, fn, (void *)i), 0);
}

static void wait_for_pipe(void *number)
{
    add(&wrong, ws_wait_fd(pipes[(intptr_t)number][0], POLLIN, WS_FOREVER) != 0);
}

static void wait_in_vain(void *number)
{
    add(&wrong, ws_wait_fd(pipes[(intptr_t)number][0], POLLIN, now() + MS) != ETIMEDOUT);
    add(&wrong, ws_wait_fd(pipes[(intptr_t)number][0], POLLIN, 1) != ETIMEDOUT); /* without a wait */
    add(&wrong, ws_event_wait_until(&event, now() + MS) != ETIMEDOUT);
}

static void sleep_a_while(void *unused)
{
    (void)unused;
    add(&wrong, ws_sleep_until(now() + MS) != 0);
}

static WS_TASK_VOID(wait_in_scope, intptr_t, number)
{
    ws_scope_begin(&scopes[number]);
    add(&open_scopes, 1);
    add(&wrong, ws_wait_fd(pipes[number][0], POLLIN, WS_FOREVER) != ECANCELED);
    add(&wrong, ws_event_wait(&event) != ECANCELED);
    add(&wrong, ws_sleep_until(now() + 100000 * MS) != ECANCELED);
    add(&wrong, ws_scope_end(&scopes[number]) != 3);
}

static void begin_in_scope(void *number)
{
    wait_in_scope((intptr_t)number);
}

/* What the counters have risen by since `*was`, which is brought up to date. */
static void expect_counts(struct ws_stats *was, uint64_t waits, uint64_t timeouts, uint64_t cancelled, uint64_t fds)
{
    struct ws_stats is;

    ck_assert_int_eq(ws_group_wait(&group), 0);
    is = read_stats();
    ck_assert_uint_eq(is.waits - was->waits, waits);
    ck_assert_uint_eq(is.timeouts - was->timeouts, timeouts);
    ck_assert_uint_eq(is.cancelled_waits - was->cancelled_waits, cancelled);
    ck_assert_uint_eq(is.fd_events - was->fd_events, fds);
    ck_assert_int_eq(get(&wrong), 0);
    *was = is;
}

/* Catches: an end of a wait that is not counted, counted twice, or as another one. */
START_TEST(each_end_of_a_wait_is_counted)
{
    struct ws_stats was;

    open_pipes();
    start_shape(_i, TASKS + 1);
    was = read_stats();
    run_all(wait_for_pipe);
    for (int i = 0; i < TASKS; i++)
        ck_assert_int_eq(write(pipes[i][1], "x", 1), 1);
    expect_counts(&was, TASKS, 0, 0, TASKS);
    run_all(wait_for_pipe); /* ready at once */
    expect_counts(&was, TASKS, 0, 0, TASKS);
    close_pipes();
    open_pipes();
    run_all(wait_in_vain);
    expect_counts(&was, 2 * TASKS, 2 * TASKS, 0, 0);
    run_all(sleep_a_while);
    expect_counts(&was, TASKS, 0, 0, 0);
    run_all(begin_in_scope);
    while (get(&open_scopes) < TASKS)
        sched_yield();
    for (int i = 0; i < TASKS; i++)
        ck_assert_int_eq(ws_scope_cancel(&scopes[i], 3), 1);
    expect_counts(&was, 3 * TASKS, 0, 3 * TASKS, 0);
    stop_runtime();
    close_pipes();
}
END_TEST

static void wait_for_event(void *unused)
{
    (void)unused;
    add(&wrong, ws_event_wait(&event) != 0);
}

static void sleep_longer(void *unused)
{
    (void)unused;
    add(&wrong, ws_sleep_until(now() + 50 * MS) != 0);
}

/* Runs when all others wait: there is one worker. */
static void end_the_waits(void *unused)
{
    (void)unused;
    for (int i = 0; i < TASKS; i++)
        add(&wrong, write(pipes[i][1], "x", 1) != 1);
    ws_event_set(&event);
}

static char text[1 << 18];

static int count(const char *what)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

static void read_trace(const char *path)
{
    int file = open(path, O_RDONLY);
    ssize_t n = read(file, text, sizeof text - 1);

    ck_assert_int_gt(n, 0);
    text[n] = '\0';
    close(file);
}

/* Catches: a fiber that a setter, a deadline or a descriptor has made runnable, and whose trace has no arrow from there. */
START_TEST(a_trace_has_an_arrow_for_each_wait)
{
    char path[600];
    int waits;

    folder_make();
    snprintf(path, sizeof path, "%s", folder_path("waits.json"));
    setenv("WSFJ_TRACE", path, 1);
    open_pipes();
    start_shape(0, 0);
    run_all(wait_for_event);
    run_all(wait_for_pipe);
    run_all(sleep_longer);
    ck_assert_int_eq(ws_group_submit(&group, end_the_waits, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(get(&wrong), 0);
    waits = (int)read_stats().waits;
    ck_assert_int_gt(waits, 2 * TASKS); /* on a busy machine a sleeper may come too late to sleep */
    stop_runtime();
    close_pipes();
    trace_fits(path);
    read_trace(path);
    ck_assert_int_eq(count("\"end\":\"waits\""), waits);
    ck_assert_int_eq(count("\"name\":\"runnable\""), waits);
    ck_assert_int_eq(count("\"ph\":\"s\",\"name\":\"resume\""), waits);
    ck_assert_int_eq(count("\"ph\":\"f\",\"name\":\"resume\""), waits);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_counts");

    tcase_add_loop_test(tcase, each_end_of_a_wait_is_counted, 0, SHAPES);
    tcase_add_test(tcase, a_trace_has_an_arrow_for_each_wait);
    return run_case("wait_counts", tcase);
}
