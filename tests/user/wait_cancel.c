/* SPDX-License-Identifier: MIT */
/* Waits of lib/sync in scopes that are cancelled. Neighbour: cancel_waits.c, other waits. */
#include "waits.h"

enum { WAYS = 7, MANY = 12 };

static ws_event event = WS_EVENT_INIT;
static ws_future future = WS_FUTURE_INIT;
static ws_mutex mutex = WS_MUTEX_INIT;
static ws_semaphore semaphore = WS_SEMAPHORE_INIT(0);
static ws_channel channel = WS_CHANNEL_UNBUFFERED(long);
static uint32_t word;
static ws_scope scopes[MANY];
static long open, wrong, ended;
static bool in_section;

static int wait_in_one_way(long way)
{
    struct ws_thing things[] = {{WS_THING_EVENT, 0, &event}, {WS_THING_RECEIVE, 0, &channel}};
    long item = 0;

    switch (way) {
    case 0: return ws_event_wait(&event);
    case 1: return ws_future_get(&future, NULL, WS_FOREVER);
    case 2: return ws_mutex_lock_until(&mutex, now() + UINT64_C(100000000000));
    case 3: return ws_semaphore_wait(&semaphore);
    case 4: return ws_channel_receive(&channel, &item);
    case 5: return ws_wait_any(things, 2, WS_FOREVER);
    default: return ws_wait_on(&word, 0, WS_FOREVER);
    }
}

WS_TASK_VOID(wait_in_scope, long, number)
{
    ws_scope_begin(&scopes[number]);
    add(&open, 1);
    for (int i = 0; i < 2; i++) { /* during a wait, and before the next one */
        int error;

        if (in_section)
            ws_blocking_begin();
        error = wait_in_one_way(number % WAYS);
        if (in_section)
            ws_blocking_end();
        add(&wrong, error != ECANCELED);
    }
    add(&wrong, ws_scope_end(&scopes[number]) != 3);
    add(&ended, 1);
}

static void begin(void *number)
{
    wait_in_scope((long)(intptr_t)number);
}

/* Catches: a wait that a cancellation does not end; a unit or an item that goes to a task which has gone. */
START_TEST(a_cancelled_scope_ends_each_wait)
{
    ws_group group = WS_GROUP_INIT;
    long item;

    in_section = _i >= SHAPES;
    start_shape(_i % SHAPES, MANY + 2);
    ck_assert_int_eq(ws_mutex_lock(&mutex), 0);
    for (int round = 0; round < 10; round++) {
        open = ended = 0;
        for (long i = 0; i < MANY; i++)
            ck_assert_int_eq(ws_group_submit(&group, begin, (void *)(intptr_t)i), 0);
        while (get(&open) < MANY)
            sched_yield();
        ck_assert_int_eq(get(&ended), 0);
        for (long i = 0; i < MANY; i++)
            ck_assert_int_eq(ws_scope_cancel(&scopes[i], 3), 1);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        ck_assert_int_eq(ended, MANY);
        ck_assert_int_eq(wrong, 0);
        ws_semaphore_post(&semaphore, 1);
        ck_assert_int_eq(ws_semaphore_try_wait(&semaphore), 0);
        ck_assert_int_eq(ws_channel_try_receive(&channel, &item), EAGAIN);
        ck_assert_int_eq(ws_channel_try_send(&channel, &item), EAGAIN);
    }
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
    stop_runtime();
}
END_TEST

WS_TASK_VOID(lock_in_scope)
{
    ws_scope scope;

    ws_scope_begin(&scope);
    ck_assert_int_eq(ws_scope_cancel(&scope, 3), 1);
    add(&open, 1);
    add(&wrong, ws_mutex_lock(&mutex) != 0); /* it must wait */
    add(&wrong, ws_mutex_unlock(&mutex) != 0);
    add(&wrong, ws_scope_end(&scope) != 3);
}

static void begin_lock(void *unused)
{
    (void)unused;
    lock_in_scope();
}

/* Catches: a plain lock that fails because of a cancellation. */
START_TEST(a_plain_lock_is_not_cancelled)
{
    ws_group group = WS_GROUP_INIT;
    uint64_t before;

    start_shape(_i, 3);
    before = read_stats().waits;
    ck_assert_int_eq(ws_mutex_lock(&mutex), 0);
    ck_assert_int_eq(ws_group_submit(&group, begin_lock, NULL), 0);
    while (read_stats().waits == before)
        sched_yield();
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_cancel");

    tcase_add_loop_test(tcase, a_cancelled_scope_ends_each_wait, 0, 2 * SHAPES);
    tcase_add_loop_test(tcase, a_plain_lock_is_not_cancelled, 0, SHAPES);
    return run_case("wait_cancel", tcase);
}
