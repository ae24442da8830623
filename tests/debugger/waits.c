/* SPDX-License-Identifier: MIT */
/*
 * waits: one worker and a task for each thing that a task can wait for, for build/gdb.sh. The last task runs when all others
 * wait; it stops at reached(). A thread holds one of the mutexes.
 */
#include <poll.h>
#include <unistd.h>
#include <wsfj.h>
#include <wsfj/wait.h>

#define LONG (ws_now() + UINT64_C(3600) * 1000000000)

static uint32_t word;
static ws_event event = WS_EVENT_INIT;
static ws_future future = WS_FUTURE_INIT;
static ws_mutex held = WS_MUTEX_INIT, of_thread = WS_MUTEX_INIT;
static ws_semaphore semaphore = WS_SEMAPHORE_INIT(0);
static ws_channel in, out;
static ws_group group = WS_GROUP_INIT;
static int ends[2];

__attribute__((noinline)) void reached(void)
{
    __asm__ volatile("" ::: "memory");
}

static void holder(void *unused)
{
    (void)unused;
    ws_mutex_lock(&held);
    ws_wait_on(&word, 0, WS_FOREVER);
}

static void waits_for_event(void *unused)
{
    (void)unused;
    ws_event_wait_until(&event, LONG);
}

static void waits_for_future(void *unused)
{
    (void)unused;
    ws_future_get(&future, NULL, WS_FOREVER);
}

static void waits_for_mutex(void *mutex)
{
    ws_mutex_lock(mutex);
}

static void waits_for_semaphore(void *unused)
{
    (void)unused;
    ws_semaphore_wait(&semaphore);
}

static void receives(void *item)
{
    ws_channel_receive(&in, item);
}

static void sends(void *item)
{
    ws_channel_send(&out, item);
}

static void sleeps(void *unused)
{
    (void)unused;
    ws_sleep_until(LONG);
}

static void waits_for_pipe(void *unused)
{
    (void)unused;
    ws_wait_fd(ends[0], POLLIN, WS_FOREVER);
}

static void waits_for_any(void *unused)
{
    struct ws_thing things[] = {{WS_THING_EVENT, 0, &event}, {WS_THING_SEMAPHORE, 0, &semaphore}};

    (void)unused;
    ws_wait_any(things, 2, WS_FOREVER);
}

static void waits_for_group(void *unused)
{
    (void)unused;
    ws_group_wait(&group);
}

static void last(void *unused)
{
    (void)unused;
    reached();
    _exit(0);
}

int main(void)
{
    static int item;
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 1;
    if (ws_init(&config) || pipe(ends) || ws_mutex_lock(&of_thread))
        return 1;
    ws_channel_init(&in, NULL, sizeof item, 0);
    ws_channel_init(&out, NULL, sizeof item, 0);
    ws_submit(holder, NULL);
    ws_submit(waits_for_event, NULL);
    ws_submit(waits_for_future, NULL);
    ws_submit(waits_for_mutex, &held);
    ws_submit(waits_for_mutex, &of_thread);
    ws_submit(waits_for_semaphore, NULL);
    ws_submit(receives, &item);
    ws_submit(sends, &item);
    ws_submit(sleeps, NULL);
    ws_group_submit(&group, waits_for_pipe, NULL);
    ws_submit(waits_for_any, NULL);
    ws_submit(waits_for_group, NULL);
    ws_submit(last, NULL);
    for (;;)
        pause();
}
