/* SPDX-License-Identifier: MIT */
/* A cancelled scope ends the waits of its members (SCOPE-3): scope.h, wsfj_wait() in lib/api/wait.c. */
#define _GNU_SOURCE
#include "../support/flags.h"
#include "../support/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static long cancelled, wrong;
static int ends[2];

static void start_with(size_t workers)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    ck_assert_int_eq(ws_init(&config), 0);
    ck_assert_int_eq(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    cancelled = wrong = 0;
}

static void stop(void)
{
    ck_assert_int_eq(get(&wrong), 0);
    close(ends[0]);
    close(ends[1]);
    stop_runtime();
}

static WS_TASK_VOID(sleep_for_ever, int, with_deadline)
{
    int error = ws_sleep_until(with_deadline ? ws_now() + 3600000 * MS : WS_FOREVER);

    add(&cancelled, error == ECANCELED);
    add(&wrong, error != ECANCELED);
}

static WS_TASK_VOID(read_for_ever, int, unused)
{
    int error = ws_wait_fd(ends[0], POLLIN, WS_FOREVER);

    (void)unused;
    add(&cancelled, error == ECANCELED);
    add(&wrong, error != ECANCELED);
}

static WS_TASK_VOID(cancel_later, ws_scope *, s)
{
    add(&wrong, ws_sleep_until(ws_now() + 2 * MS) != 0);
    add(&wrong, !ws_scope_cancel(s, 7));
}

static WS_TASK(int, some_members, int, n)
{
    ws_scope s;

    ws_scope_begin(&s);
    ws_spawn(read_for_ever, 0);
    for (int i = 1; i < n; i++)
        ws_spawn(sleep_for_ever, i % 2);
    ws_call(cancel_later, &s);
    return ws_scope_end(&s);
}

/* Catches: a member that waits on, or of which the nodes stay in the table; one member alone that is woken. */
START_TEST(members_go_on)
{
    int code;

    start_with(1 + (size_t)_i % 2);
    for (int round = 0; round < 20; round++) {
        long before = get(&cancelled);

        ck_assert_int_eq(ws_run(some_members, &code, 1 + round), 0);
        ck_assert_int_eq(code, 7);
        ck_assert_int_le(get(&cancelled) - before, 1 + round); /* who has not begun is dropped */
    }
    stop();
}
END_TEST

/* Waits as a member of each of them. */
static WS_TASK_VOID(nested, ws_scope *, outer, int, depth)
{
    ws_scope s;

    ws_scope_begin(&s);
    if (depth > 0)
        ws_call(nested, outer, depth - 1);
    else
        ws_call(sleep_for_ever, 0);
    add(&wrong, ws_scope_end(&s) != 9);
}

static ws_scope *shared;
static int is_open;

static WS_TASK(int, outer_of, int, depth)
{
    ws_scope s;

    ws_scope_begin(&s);
    __atomic_store_n(&shared, &s, __ATOMIC_RELEASE);
    raise_flag(&is_open);
    ws_spawn(nested, &s, depth);
    ws_call(nested, &s, depth);
    return ws_scope_end(&s);
}

static void *cancel_from_outside(void *unused)
{
    wait_for(&is_open);
    usleep(1000);
    add(&wrong, !ws_scope_cancel(__atomic_load_n(&shared, __ATOMIC_ACQUIRE), 9));
    return unused;
}

/* Catches: a scope around the innermost one, whose cancellation wakes nobody; a foreign thread that wakes nobody. */
START_TEST(each_scope_around_counts)
{
    int code;

    start_with(2);
    for (int depth = 0; depth < 20; depth++) {
        pthread_t thread;

        is_open = 0;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_from_outside, NULL), 0);
        ck_assert_int_eq(ws_run(outer_of, &code, depth), 0);
        ck_assert_int_eq(code, 9);
        pthread_join(thread, NULL);
    }
    stop();
}
END_TEST

static WS_TASK(int, too_late, int, unused)
{
    ws_scope s;

    (void)unused;
    ws_scope_begin(&s);
    (void)ws_scope_cancel(&s, 5);
    ws_call(sleep_for_ever, 0);
    ws_call(read_for_ever, 0);
    add(&wrong, ws_sleep_until(0) != 0); /* need not wait */
    return ws_scope_end(&s);
}

/* Catches: a wait that begins after the cancellation and never ends. */
START_TEST(who_comes_late_does_not_wait)
{
    int code;

    start_with(1);
    ck_assert_int_eq(ws_run(too_late, &code, 0), 0);
    ck_assert_int_eq(code, 5);
    ck_assert_int_eq(get(&cancelled), 2);
    stop();
}
END_TEST

static WS_TASK_VOID(sleep_a_moment, int, unused)
{
    (void)unused;
    add(&wrong, ws_sleep_until(ws_now() + MS / 10) != 0);
}

static WS_TASK(int, none_is_cancelled, int, unused)
{
    ws_scope s;

    (void)unused;
    ws_scope_begin(&s);
    for (int i = 0; i < 10; i++)
        ws_spawn(sleep_a_moment, 0);
    return ws_scope_end(&s);
}

/* Catches: nodes of scopes that have ended, which a later scope at the same address finds. */
START_TEST(without_a_cancellation_nothing_changes)
{
    int code;

    start_with(2);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(ws_run(none_is_cancelled, &code, 0), 0);
        ck_assert_int_eq(code, 0);
        ck_assert_int_eq(ws_run(some_members, &code, 3), 0);
        ck_assert_int_eq(code, 7);
    }
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("cancel_waits");

    tcase_add_loop_test(tcase, members_go_on, 0, 2);
    tcase_add_test(tcase, each_scope_around_counts);
    tcase_add_test(tcase, who_comes_late_does_not_wait);
    tcase_add_test(tcase, without_a_cancellation_nothing_changes);
    return run_case("cancel_waits", tcase);
}
