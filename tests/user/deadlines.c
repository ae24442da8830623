/* SPDX-License-Identifier: MIT */
/* ws_scope_deadline() and ws_group_deadline() (SCOPE-4): scope.h, lib/api/wait.c, lib/task/scope.c. The deadlines of tests
 * that need them to pass are milliseconds away, those of the others hours. Neighbours: wait_cancel.c, group_cancel.c. */
#define _GNU_SOURCE
#include "waits.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define HOURS (UINT64_C(10000000) * MS)

enum { WAYS = 9, MANY = 2 * WAYS };

static ws_event event = WS_EVENT_INIT;
static ws_future future = WS_FUTURE_INIT;
static ws_mutex mutex = WS_MUTEX_INIT;
static ws_semaphore semaphore = WS_SEMAPHORE_INIT(0);
static ws_channel channel = WS_CHANNEL_UNBUFFERED(long);
static uint32_t word;
static int ends[2];
static long begun, wrong, ended;

/* Nothing but a cancellation ends this wait before `until`. */
static int wait_in_one_way(long way, uint64_t until)
{
    struct ws_thing things[] = {{WS_THING_EVENT, 0, &event}, {WS_THING_RECEIVE, 0, &channel}};
    long item = 0;
    int error;

    switch (way) {
    case 0: return ws_event_wait_until(&event, until);
    case 1: return ws_future_get(&future, NULL, until);
    case 2: return ws_mutex_lock_until(&mutex, until == WS_FOREVER ? now() + HOURS : until);
    case 3: return ws_semaphore_wait_until(&semaphore, until);
    case 4: return ws_channel_receive_until(&channel, &item, until);
    case 5: return ws_wait_any(things, 2, until);
    case 6: return ws_wait_fd(ends[0], POLLIN, until);
    case 7: return ws_sleep_until(until);
    default:
        do
            error = ws_wait_on(&word, 0, until); /* it may return early */
        while (!error);
        return error;
    }
}

static void begin_all(size_t stacks)
{
    start_shape((int)stacks, MANY + 2);
    ck_assert_int_eq(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    ck_assert_int_eq(ws_mutex_lock(&mutex), 0);
    begun = wrong = ended = 0;
}

static void end_all(void)
{
    long item;

    ck_assert_int_eq(wrong, 0);
    ws_semaphore_post(&semaphore, 1); /* nobody is left who would take it */
    ck_assert_int_eq(ws_semaphore_try_wait(&semaphore), 0);
    ck_assert_int_eq(ws_channel_try_receive(&channel, &item), EAGAIN);
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
    close(ends[0]);
    close(ends[1]);
    stop_runtime();
}

/* A thing may have two waiters at most for descriptor: its odd ones wait for a deadline of the scope around. */
WS_TASK_VOID(wait_until_cancelled, long, number)
{
    uint64_t at = now() + 3 * MS;
    ws_scope outer, inner;
    int error;

    ws_scope_begin(&outer);
    ws_scope_begin(&inner);
    ws_scope_deadline(number % 2 ? &outer : &inner, at);
    ws_scope_deadline(number % 2 ? &inner : &outer, at + HOURS);
    error = wait_in_one_way(number / 2, number % 3 ? WS_FOREVER : at + HOURS);
    add(&wrong, error != ECANCELED || now() < at || ws_cancelled() != ETIMEDOUT);
    add(&wrong, ws_scope_cancelled(&outer) != (number % 2 ? ETIMEDOUT : 0));
    error = wait_in_one_way(number / 2, WS_FOREVER); /* before the wait */
    add(&wrong, error != ECANCELED);
    add(&wrong, ws_scope_end(&inner) != ETIMEDOUT);
    add(&wrong, ws_cancelled() != (number % 2 ? ETIMEDOUT : 0));
    add(&wrong, ws_scope_end(&outer) != (number % 2 ? ETIMEDOUT : 0));
    add(&wrong, ws_scope_cancelled(&inner) != ETIMEDOUT || ws_cancelled() != 0);
    add(&ended, 1);
}

/* One task for a descriptor at a time: those that wait for it, and half of the others, are apart. */
static void each_even(long number)
{
    wait_until_cancelled(2 * (number % WAYS));
}
static void each_odd(long number)
{
    wait_until_cancelled(2 * (number % WAYS) + 1);
}

/* Catches: a wait that a deadline of its scopes does not end, or ends early; a deadline that stays behind; a code that the wrong
 * scope gets. Tasks of each kind, guests, and threads, whose scopes are in a serial frame. */
START_TEST(a_deadline_ends_each_wait)
{
    static struct crowd c;

    begin_all((size_t)_i);
    for (int round = 0; round < 4; round++) {
        ended = 0;
        crowd_begin(&c, round % 2 ? each_odd : each_even, WAYS, 0, 0);
        crowd_end(&c);
        ck_assert_int_eq(ended, WAYS);
        ended = 0;
        crowd_begin(&c, round % 2 ? each_odd : each_even, 0, 3, 3); /* none waits for the descriptor */
        crowd_end(&c);
        ck_assert_int_eq(ended, 6);
    }
    end_all();
}
END_TEST

WS_TASK_VOID(wait_in_time, long, way)
{
    uint64_t at = now() + 2 * MS;
    ws_scope scope;
    int error;

    ws_scope_begin(&scope);
    ws_scope_deadline(&scope, at + HOURS);
    error = wait_in_one_way(way, at);
    add(&wrong, error != (way == 7 ? 0 : ETIMEDOUT) || now() < at);
    ws_scope_deadline(&scope, at); /* it has passed: the next wait does not begin */
    error = wait_in_one_way(way, WS_FOREVER);
    add(&wrong, error != ECANCELED);
    add(&wrong, ws_scope_end(&scope) != ETIMEDOUT);
    add(&ended, 1);
}

/* Catches: the deadline of a call that counts as the scope's; one that has passed before the wait. */
START_TEST(the_first_of_two_deadlines_counts)
{
    static struct crowd c;

    begin_all((size_t)_i);
    crowd_begin(&c, wait_in_time, WAYS, 0, 0);
    crowd_end(&c);
    ck_assert_int_eq(ended, WAYS);
    end_all();
}
END_TEST

static ws_scope scopes[WAYS];

WS_TASK_VOID(wait_for_moved, long, way)
{
    uint64_t before = now();
    int error;

    ws_scope_begin(&scopes[way]);
    if (way % 3 == 1)
        ws_scope_deadline(&scopes[way], before + HOURS);
    else if (way % 3 == 2)
        ws_scope_deadline(&scopes[way], before + 5 * MS); /* passes soon, unless it is moved in time */
    add(&begun, 1);
    error = wait_in_one_way(way, WS_FOREVER);
    add(&wrong, error != ECANCELED);
    add(&wrong, ws_scope_end(&scopes[way]) != ETIMEDOUT);
    add(&ended, 1);
}

/* Catches: members that wait on though a deadline has come, or has come nearer; one that is woken for an hour-long deadline and
 * does not wait again. */
START_TEST(a_deadline_may_come_late)
{
    static struct crowd c;
    uint64_t at = 0;

    begin_all((size_t)_i);
    for (int round = 0; round < 10; round++) {
        begun = ended = 0;
        crowd_begin(&c, wait_for_moved, WAYS, 0, 0);
        while (get(&begun) < WAYS)
            sched_yield();
        for (long way = 0; way < WAYS; way++)
            if (way % 3 != 2)
                ws_scope_deadline(&scopes[way], now() + HOURS);
        at = now() + MS;
        for (long way = 0; way < WAYS; way++)
            if (way % 3 != 2)
                ws_scope_deadline(&scopes[way], at);
        crowd_end(&c);
        ck_assert(now() >= at);
        ck_assert_int_eq(ended, WAYS);
    }
    end_all();
}
END_TEST

WS_TASK_VOID(wait_for_less, ws_event *, started)
{
    int error;

    ws_scope_begin(&scopes[0]);
    ws_scope_deadline(&scopes[0], now() + HOURS);
    ws_event_set(started);
    do
        error = ws_event_wait(&event);
    while (error == 0);
    add(&wrong, error != ECANCELED);
    add(&wrong, ws_scope_end(&scopes[0]) != 4);
}

static void begin_for_less(void *started)
{
    wait_for_less(started);
}

/* Catches: a deadline that is taken away and comes all the same; a code that a deadline replaces; 0 taken for no deadline. */
START_TEST(a_deadline_may_go_away)
{
    ws_group group = WS_GROUP_INIT;
    ws_event started = WS_EVENT_INIT;

    begin_all((size_t)_i);
    ck_assert_int_eq(ws_group_submit(&group, begin_for_less, &started), 0);
    ck_assert_int_eq(ws_event_wait(&started), 0);
    for (int i = 0; i < 20; i++) {
        ws_scope_deadline(&scopes[0], now() + HOURS + (uint64_t)i);
        ws_scope_deadline(&scopes[0], WS_FOREVER);
    }
    ck_assert_int_eq(ws_scope_cancelled(&scopes[0]), 0);
    ck_assert_int_eq(ws_scope_cancel(&scopes[0], 4), 1);
    ws_scope_deadline(&scopes[0], 0);
    ck_assert_int_eq(ws_scope_cancelled(&scopes[0]), 4);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    end_all();
}
END_TEST

WS_TASK_VOID(count, long *, calls)
{
    add(calls, 1);
}

WS_LOOP(count_slowly, long, i, long *, calls)
{
    take_time((long)i);
    add(calls, 1);
}

WS_TASK_VOID(ask_instead_of_waiting)
{
    ws_scope scope;
    long calls = 0;

    ws_scope_begin(&scope);
    ws_scope_deadline(&scope, now() + 2 * MS);
    while (!ws_scope_cancelled(&scope))
        ;
    ck_assert_int_eq(ws_cancelled(), ETIMEDOUT);
    ws_for(count_slowly, 0, 1000, &calls);
    ck_assert_int_lt(calls, 1000);
    ck_assert_int_eq(ws_scope_end(&scope), ETIMEDOUT);

    ws_scope_begin(&scope); /* again: the old deadline is gone */
    ck_assert_int_eq(ws_cancelled(), 0);
    ws_scope_deadline(&scope, 0);
    ck_assert_int_eq(ws_cancelled(), ETIMEDOUT);
    ck_assert_int_eq(ws_scope_end(&scope), ETIMEDOUT);

    ws_scope_begin(&scope);
    ws_scope_deadline(&scope, now() + HOURS);
    ws_spawn(count, &calls);
    ck_assert_int_eq(ws_scope_end(&scope), 0);
    ws_scope_deadline(&scope, WS_FOREVER);
    ck_assert_int_eq(ws_scope_cancelled(&scope), 0);
}

/* Catches: a task that asks and is told nothing; a loop that goes on. */
START_TEST(tasks_may_ask)
{
    begin_all((size_t)_i);
    ck_assert_int_eq(ws_run(ask_instead_of_waiting), 0);
    ask_instead_of_waiting(); /* in a serial frame */
    ck_assert_int_eq(ws_cancelled(), 0);
    end_all();
}
END_TEST

static void sleep_and_ask(void *unused)
{
    (void)unused;
    add(&wrong, ws_sleep_until(WS_FOREVER) != ECANCELED);
    add(&wrong, ws_cancelled() != ETIMEDOUT);
    add(&ended, 1);
}

/* Catches: a group whose deadline wakes nobody; one that is forgotten by tasks that begin later. */
START_TEST(a_group_has_a_deadline)
{
    ws_group group = WS_GROUP_INIT;
    uint64_t at = 0;

    begin_all((size_t)_i);
    for (int round = 0; round < 5; round++) {
        uint64_t waits = read_stats().waits;

        ws_group_init(&group);
        ended = 0;
        at = now() + HOURS;
        if (round % 2)
            ws_group_deadline(&group, at);
        for (int i = 0; i < 5; i++)
            ck_assert_int_eq(ws_group_submit(&group, sleep_and_ask, NULL), 0);
        /* Of this round: when the deadline comes nearer, a task waits again, and is counted twice. */
        while (read_stats().waits < waits + 5)
            sched_yield();
        at = now() + MS;
        ws_group_deadline(&group, at);
        ck_assert_int_eq(ws_group_wait(&group), ETIMEDOUT);
        ck_assert(now() >= at);
        ck_assert_int_eq(ended, 5);
        ck_assert_int_eq(ws_group_submit(&group, sleep_and_ask, NULL), 0); /* dropped */
        ck_assert_int_eq(ws_group_wait(&group), ETIMEDOUT);
        ck_assert_int_eq(ended, 5);
    }
    end_all();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("deadlines");

    tcase_add_loop_test(tcase, a_deadline_ends_each_wait, 0, SHAPES);
    tcase_add_loop_test(tcase, the_first_of_two_deadlines_counts, 0, SHAPES);
    tcase_add_loop_test(tcase, a_deadline_may_come_late, 0, SHAPES);
    tcase_add_loop_test(tcase, a_deadline_may_go_away, 0, SHAPES);
    tcase_add_loop_test(tcase, tasks_may_ask, 0, SHAPES);
    tcase_add_loop_test(tcase, a_group_has_a_deadline, 0, SHAPES);
    return run_case("deadlines", tcase);
}
