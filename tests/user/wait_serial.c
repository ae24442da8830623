/* SPDX-License-Identifier: MIT */
/* wsfj/wait.h in programs that run serially: -DWSFJ_SERIAL (inline/serial_wait.h), -DWSFJ_PROFILE (lib/sync/waiting.c,
 * lib/profile/detached.c). What need not wait works; what only a later task could end returns EDEADLK, after a line. */
#include "../support/heard.h"
#include "../support/runtime.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

enum { ITEMS = 8, DEPTH = 80 };

static ws_event event, deep[DEPTH + 1];
static ws_future future;
static ws_mutex mutex;
static ws_semaphore semaphore;
static long places[ITEMS];
static ws_channel channel = WS_CHANNEL_INIT(places), unbuffered = WS_CHANNEL_UNBUFFERED(long);
static ws_group group = WS_GROUP_INIT;
static uint32_t word;

WS_TASK_VOID(set_all)
{
    ck_assert_int_eq(ws_mutex_lock(&mutex), 0);
    ws_event_set(&event);
    ck_assert_int_eq(ws_future_set(&future, 5, EIO), 0);
    ck_assert_int_eq(ws_future_set(&future, 6, 0), EALREADY);
    ws_semaphore_post(&semaphore, 2);
    for (long i = 0; i < ITEMS; i++)
        ck_assert_int_eq(ws_channel_send(&channel, &i), 0);
    ws_channel_close(&channel);
    ws_wake(&word, 1);
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
}

WS_TASK_VOID(use_all)
{
    struct ws_thing things[] = {{WS_THING_EVENT, 0, &event},         {WS_THING_FUTURE, 0, &future},
                                {WS_THING_SEMAPHORE, 0, &semaphore}, {WS_THING_RECEIVE, 0, &channel},
                                {WS_THING_SEND, 0, &unbuffered},     {WS_THING_GROUP, 0, &group}};
    uint64_t value = 0;
    long item;

    ws_spawn(set_all);
    ws_sync();
    ck_assert_int_eq(ws_event_wait(&event), 0);
    ck_assert_int_eq(ws_event_wait_until(&event, 0), 0);
    ck_assert_int_eq(ws_future_get(&future, &value, WS_FOREVER), EIO);
    ck_assert_uint_eq(value, 5);
    ck_assert_int_eq(ws_wait_any(things, 6, WS_FOREVER), 0);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(things[i].ready, i != 4);
    ck_assert_int_eq(ws_semaphore_wait(&semaphore), 0);
    ck_assert_int_eq(ws_semaphore_wait_until(&semaphore, 0), 0);
    ck_assert_int_eq(ws_semaphore_try_wait(&semaphore), EAGAIN);
    for (long i = 0; i < ITEMS; i++) {
        ck_assert_int_eq(ws_channel_receive(&channel, &item), 0);
        ck_assert_int_eq(item, i);
    }
    ck_assert_int_eq(ws_channel_receive(&channel, &item), EPIPE);
    ck_assert_int_eq(ws_channel_send(&channel, &item), EPIPE);
    ck_assert_int_eq(ws_wait_on(&word, 1, WS_FOREVER), 0);
    ck_assert_int_eq(ws_mutex_lock_until(&mutex, 0), 0);
    ck_assert_int_eq(ws_mutex_trylock(&mutex), EBUSY);
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
}

static int heard_a_line(void)
{
    int said = hear(0);

    hear_nothing();
    return said;
}

#define REFUSED(call) ck_assert((call) == EDEADLK && heard_a_line())
#define TOO_LATE(call) ck_assert((call) == ETIMEDOUT && !heard_a_line())

WS_TASK_VOID(wait_in_vain)
{
    ws_channel full = WS_CHANNEL_INIT(places);
    uint64_t later = now() + UINT64_C(1000000000000);
    struct ws_thing thing = {WS_THING_EVENT, 0, &event}, wrong = {(enum ws_thing_kind)0, 0, &event};
    uint64_t value;
    long item = 0;

    ck_assert_int_eq(ws_wait_any(&thing, 0, 0), EINVAL);
    ck_assert_int_eq(ws_wait_any(&wrong, 1, 0), EINVAL);
    REFUSED(ws_event_wait(&event));
    REFUSED(ws_future_get(&future, &value, WS_FOREVER));
    REFUSED(ws_semaphore_wait(&semaphore));
    REFUSED(ws_channel_receive(&full, &item));
    REFUSED(ws_channel_send(&unbuffered, &item));
    REFUSED(ws_wait_on(&word, 0, WS_FOREVER));
    REFUSED(ws_wait_any(&thing, 1, WS_FOREVER));
    REFUSED(ws_semaphore_wait(&semaphore)); /* a loop over one call gets one line */
    for (int i = 0; i < 3; i++)
        ck_assert(ws_semaphore_wait(&semaphore) == EDEADLK && !heard_a_line());
    TOO_LATE(ws_event_wait_until(&event, later));
    TOO_LATE(ws_future_get(&future, &value, later));
    TOO_LATE(ws_semaphore_wait_until(&semaphore, later));
    TOO_LATE(ws_channel_receive_until(&full, &item, later));
    TOO_LATE(ws_wait_on(&word, 0, later));
    TOO_LATE(ws_wait_any(&thing, 1, 0));
    for (long i = 0; i < ITEMS; i++)
        ck_assert_int_eq(ws_channel_try_send(&full, &i), 0);
    REFUSED(ws_channel_send(&full, &item));
    TOO_LATE(ws_channel_send_until(&full, &item, later));
    ck_assert_int_eq(ws_mutex_lock(&mutex), 0);
    REFUSED(ws_mutex_lock(&mutex));
    ck_assert_int_eq(ws_mutex_unlock(&mutex), 0);
    ck_assert(ws_mutex_unlock(&mutex) == EPERM && heard_a_line());
}

static int ends[2];

static void *write_later(void *unused)
{
    usleep(20000);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    return unused;
}

static void set_later(void *unused)
{
    (void)unused;
    ws_event_set(&deep[0]);
}

WS_TASK_VOID(wait_for_descriptors)
{
    struct pollfd p = {ends[0], POLLIN, -1}, closed = {10000, POLLIN, 0}, negative = {-1, POLLIN, 0}, nothing = {0};
    struct ws_thing things[] = {{WS_THING_EVENT, 0, &deep[0]}, {WS_THING_DESCRIPTOR, 0, &p}};
    uint64_t until = ws_now() + 3000000;
    pthread_t thread;

    TOO_LATE(ws_wait_any(things, 2, 0));
    TOO_LATE(ws_wait_any(things, 2, until));
    ck_assert_uint_ge(ws_now(), until);
    ck_assert_int_eq(pthread_create(&thread, NULL, write_later, NULL), 0);
    ck_assert_int_eq(ws_wait_any(things, 2, WS_FOREVER), 0);
    ck_assert(!things[0].ready && things[1].ready && p.revents == POLLIN);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    things[1].object = &closed;
    ck_assert_int_eq(ws_wait_any(things, 2, WS_FOREVER), EBADF);
    things[1].object = &negative;
    ck_assert_int_eq(ws_wait_any(things, 2, WS_FOREVER), EBADF);
    things[1].object = &nothing;
    ck_assert_int_eq(ws_wait_any(things, 2, WS_FOREVER), EINVAL);
    p.events = POLLPRI;
    things[1].object = &p;
    ck_assert_int_eq(ws_submit(set_later, NULL), 0);
    ck_assert_int_eq(ws_wait_any(things, 2, WS_FOREVER), 0);
    ck_assert(things[0].ready && !things[1].ready && p.revents == 0);
}

/* Each waits for the one that it has submitted. Profiled, the lower ones are queued first. */
static void go_deeper(void *arg)
{
    ws_event *mine = arg, *lower = mine + 1;
    struct pollfd never = {ends[0], POLLPRI, 0};
    struct ws_thing things[] = {{WS_THING_DESCRIPTOR, 0, &never}, {WS_THING_EVENT, 0, lower}};

    if (mine < &deep[DEPTH]) {
        ck_assert_int_eq(ws_submit(go_deeper, lower), 0);
        ck_assert_int_eq((lower - deep) % 2 ? ws_event_wait(lower) : ws_wait_any(things, 2, WS_FOREVER), 0);
    }
    ws_event_set(mine);
}

WS_TASK_VOID(wait_for_deep_ones)
{
    go_deeper(&deep[0]);
    ck_assert(ws_event_is_set(&deep[0]));
}

static void never(void *unused)
{
    (void)unused;
    ck_abort_msg("a task of a cancelled group runs");
}

static void sleep_in_group(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_cancelled(), 0);
    ck_assert_int_eq(ws_sleep_until(WS_FOREVER), ECANCELED);
    ck_assert_int_eq(ws_cancelled(), ETIMEDOUT);
    ck_assert_int_eq(ws_group_cancel(&group, 3), 0); /* the deadline was first */
}

WS_TASK_VOID(wait_until_deadlines)
{
    uint64_t at = ws_now() + 2000000, hours = at + UINT64_C(10000000000000);
    ws_scope outer, inner;

    ws_scope_begin(&outer);
    ws_scope_deadline(&outer, hours);
    ws_scope_begin(&inner);
    ck_assert_int_eq(ws_event_wait_until(&event, ws_now() + 1), ETIMEDOUT);
    ws_scope_deadline(&inner, at);
    ck_assert_int_eq(ws_cancelled(), 0);
    ck_assert_int_eq(ws_sleep_until(hours), ECANCELED);
    ck_assert_uint_ge(ws_now(), at);
    ck_assert_int_eq(ws_cancelled(), ETIMEDOUT);
    ck_assert_int_eq(ws_scope_end(&inner), ETIMEDOUT);
    ck_assert_int_eq(ws_cancelled(), 0);
    at = ws_now() + 2000000;
    ws_scope_deadline(&outer, at);
    ck_assert_int_eq(ws_event_wait(&event), ECANCELED);
    ck_assert_uint_ge(ws_now(), at);
    ck_assert_int_eq(ws_semaphore_wait_until(&semaphore, hours), ECANCELED);
    ck_assert_int_eq(ws_wait_fd(0, POLLIN, hours), ECANCELED);
    ck_assert_int_eq(ws_sleep_until(at), 0); /* it has passed */
    ck_assert(!heard_a_line());
    ck_assert_int_eq(ws_scope_end(&outer), ETIMEDOUT);
    ws_scope_begin(&outer);
    ck_assert_int_eq(ws_scope_cancel(&outer, 4), 1);
    ck_assert_int_eq(ws_event_wait(&event), ECANCELED);
    ck_assert_int_eq(ws_scope_end(&outer), 4);

    ws_group_init(&group);
    ws_group_deadline(&group, ws_now() + 2000000);
    ck_assert_int_eq(ws_group_submit(&group, sleep_in_group, NULL), 0);
    ck_assert_int_eq(ws_group_try_submit(&group, never, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), ETIMEDOUT);
    ws_group_init(&group);
    ck_assert_int_eq(ws_group_cancel(&group, 0), 0);
    ck_assert_int_eq(ws_group_cancel(&group, 6), 1);
    ck_assert_int_eq(ws_group_submit(&group, never, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 6);
    ws_group_init(&group);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(ws_cancelled(), 0);
}

/* Catches: a cancellation or a deadline that a serial program does not know. */
START_TEST(scopes_and_groups_are_cancelled)
{
    listen_begin();
    ck_assert_int_eq(ws_run(wait_until_deadlines), 0);
    listen_end();
}
END_TEST

/* Catches: an object that does not work without the runtime. */
START_TEST(what_need_not_wait_works)
{
    ck_assert_int_eq(ws_run(use_all), 0);
}
END_TEST

/* Catches: a serial program that hangs, or says nothing; a deadline that is waited for, though nothing can come before. */
START_TEST(what_would_wait_is_refused)
{
    listen_begin();
    ck_assert_int_eq(ws_run(wait_in_vain), 0);
    listen_end();
}
END_TEST

/* Catches: a descriptor for which the program does not wait, though the kernel may end the wait. */
START_TEST(descriptors_are_waited_for)
{
    ck_assert_int_eq(pipe(ends), 0);
    listen_begin();
    ck_assert_int_eq(ws_run(wait_for_descriptors), 0);
    listen_end();
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* Catches: a wait for a queued task that is refused, or hangs. */
START_TEST(queued_tasks_are_called_first)
{
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(ws_run(wait_for_deep_ones), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_serial");

    tcase_add_test(tcase, what_need_not_wait_works);
    tcase_add_test(tcase, what_would_wait_is_refused);
    tcase_add_test(tcase, descriptors_are_waited_for);
    tcase_add_test(tcase, queued_tasks_are_called_first);
    tcase_add_test(tcase, scopes_and_groups_are_cancelled);
    return run_case("wait_serial", tcase);
}
