/* SPDX-License-Identifier: MIT */
/*
 * Objects of wsfj/wait.h with the real wait table: who waits for one is back with what the other thread has done before, and
 * frees the object, so that a later touch is a race (WAIT-3). Events, futures, semaphores, channels. Mutexes: mutex.c.
 */
#include "things.h"

#include "base/atomic.h"

#include <errno.h>
#include <string.h>

static ws_event event;
static ws_future future;
static ws_semaphore semaphore;
static ws_channel channel;
static unsigned items[2];
static unsigned result;     /* what comes before */
static unsigned back, gone; /* waiters that are back, and those whose time was over */

static void start(void)
{
    things_start();
    event = (ws_event)WS_EVENT_INIT;
    future = (ws_future)WS_FUTURE_INIT;
    semaphore = (ws_semaphore)WS_SEMAPHORE_INIT(0);
    ws_channel_init(&channel, NULL, sizeof items[0], 0);
    memset(items, 0, sizeof items);
    result = back = gone = 0;
    things_share(&event, sizeof event);
    things_share(&future, sizeof future);
    things_share(&semaphore, sizeof semaphore);
    things_share(&channel, sizeof channel);
    explore_shared(items, sizeof items);
    explore_shared(&result, sizeof result);
}

/* One place, which is full. */
static void start_full(void)
{
    start();
    items[0] = 1;
    ws_channel_init(&channel, items, sizeof items[0], 1);
    channel.wsfj_count = 1;
}

static void is_back(void *object, size_t size)
{
    explore_must(result == 1, "what is waited for has not come");
    things_reuse(object, size);
    back++;
}

static void await_event(void)
{
    explore_must(ws_event_wait(&event) == 0, "a wait fails");
    is_back(&event, sizeof event);
}

static void ask_for_event(void)
{
    while (!ws_event_is_set(&event))
        engine_pause();
    is_back(&event, sizeof event);
}

static void set_event(void)
{
    result = 1;
    ws_event_set(&event);
}

static void await_future(void)
{
    uint64_t value = 0;

    explore_must(ws_future_get(&future, &value, WS_FOREVER) == ENOENT && value == 7, "another value");
    is_back(&future, sizeof future);
}

static void set_future(void)
{
    result = 1;
    explore_must(ws_future_set(&future, 7, ENOENT) == 0, "a future is refused");
}

static void await_unit(void)
{
    explore_must(ws_semaphore_wait(&semaphore) == 0, "a wait fails");
    is_back(&semaphore, sizeof semaphore);
}

/* One more than is waited for. */
static void post_two(void)
{
    result = 1;
    ws_semaphore_post(&semaphore, 2);
}

/* The deadline may be before or behind the post; each unit has a taker, or stays. */
static void await_unit_until(void)
{
    int error = ws_semaphore_wait_until(&semaphore, wsfj_now() + 3);

    explore_must(error == 0 || error == ETIMEDOUT, "an error that is none");
    if (error)
        gone++;
    else
        explore_must(result == 1, "a unit comes before it is posted"), back++;
}

static void post_one(void)
{
    result = 1;
    ws_semaphore_post(&semaphore, 1);
}

static void units_are_right(void)
{
    explore_must(semaphore.wsfj_units + back == 1, "a unit is lost, or there are two");
    things_forgotten(&semaphore);
}

static void receive(void)
{
    unsigned item = 0;

    explore_must(ws_channel_receive(&channel, &item) == 0 && item == 5, "another item");
    is_back(&channel, sizeof channel);
}

static void send(void)
{
    unsigned item = 5;

    result = 1;
    explore_must(ws_channel_send(&channel, &item) == 0, "a send fails");
}

/* Waits for the place, and frees the channel with the item in it. */
static void send_second(void)
{
    unsigned item = 2;

    explore_must(ws_channel_send(&channel, &item) == 0, "a send fails");
    explore_must(channel.wsfj_count == 1 && items[0] == 2, "an item is lost");
    things_reuse(items, sizeof items);
    is_back(&channel, sizeof channel);
}

static void receive_first(void)
{
    unsigned item = 0;

    result = 1;
    explore_must(ws_channel_receive(&channel, &item) == 0 && item == 1, "another item");
}

static void close_channel(void)
{
    result = 1;
    ws_channel_close(&channel);
}

static void receive_end(void)
{
    unsigned item;

    explore_must(ws_channel_receive(&channel, &item) == EPIPE, "an item that was not sent");
    is_back(&channel, sizeof channel);
}

static void all_are_back(void)
{
    explore_must(back == 1, "a waiter is not back");
    things_forgotten(&event);
    things_forgotten(&future);
    things_forgotten(&semaphore);
    things_forgotten(&channel);
}

#define LOCK "wsfj_spin_take", "exchange", "lock"
#define UNLOCK "wsfj_spin_give", "store", "lock"
#define SET "ws_event_set", "exchange", "&event->wsfj_state"

static const struct explore_mutant events[] = {
    {"an event is set without a release", SET, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"an event is set in two steps", SET, EXPLORE_SPLIT, 0},
    {"a waiter notes that it waits in two steps", "must_wait", "cas", "&event->wsfj_state", EXPLORE_SPLIT, 0},
    {"a waiter looks without an acquire", "ws_event_is_set", "load", "&event->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_mutant asks[] = {
    {"an event is set without a release", SET, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"an event is read without an acquire", "ws_event_is_set", "load", "&event->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_mutant futures[] = {
    {"a value comes without a release", SET, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {NULL}};

static const struct explore_mutant locks[] = {
    {"no lock (WAIT-1)", LOCK, EXPLORE_SKIP, 0},
    {"the lock is given back relaxed (WAIT-1)", UNLOCK, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the lock is taken without an acquire (WAIT-1)", LOCK, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {NULL}};

static const struct explore_mutant one_lock[] = {{"no lock (WAIT-1)", LOCK, EXPLORE_SKIP, 0}, {NULL}};

static const struct explore_program programs[] = {
    {"an event", start, {await_event, set_event}, all_are_back, {3, 2}, {4, 3}, events},
    {"an event, asked for", start, {ask_for_event, set_event}, all_are_back, {3, 2}, {4, 3}, asks},
    {"a future", start, {await_future, set_future}, all_are_back, {3, 2}, {4, 3}, futures},
    {"a semaphore, and a post of two", start, {await_unit, post_two}, all_are_back, {3, 2}, {4, 2}, locks},
    {"a semaphore with a deadline", start, {await_unit_until, post_one}, units_are_right, {3, 2}, {4, 2}, one_lock},
    {"two takers with deadlines",
     start,
     {await_unit_until, await_unit_until, post_one},
     units_are_right,
     {2, 0},
     {2, 1},
     one_lock},
    {"a channel without room", start, {receive, send}, all_are_back, {3, 2}, {4, 2}, locks},
    {"a channel that is full", start_full, {send_second, receive_first}, all_are_back, {3, 2}, {4, 2}, locks},
    {"a channel is closed", start, {receive_end, close_channel}, all_are_back, {3, 2}, {4, 2}, one_lock},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
