/* SPDX-License-Identifier: MIT */
/*
 * ws_wait_any(): one waiter with a node for each of several things, which come from two threads. It goes on once, when one is
 * ready, takes nothing, and leaves no node behind (WAIT-4). The things that are ready are memory for something else from then on.
 */
#include "awake.h"
#include "things.h"

#include "base/atomic.h"
#include "idle/park.h"
#include "queue/global_queue.h"
#include "sched/load.h"
#include "worker/items.h"
#include "worker/own.h"
#include "worker/use.h"

#include <errno.h>
#include <string.h>

enum { EVENTS = 2 };

static ws_event events[EVENTS];
static ws_semaphore semaphore;
static ws_channel channel;
static unsigned item, results[EVENTS + 2], back;
static bool timed; /* the waiter has a deadline, which may be over first */

static void start(void)
{
    things_start();
    memset(events, 0, sizeof events);
    semaphore = (ws_semaphore)WS_SEMAPHORE_INIT(0);
    ws_channel_init(&channel, &item, sizeof item, 1);
    memset(results, 0, sizeof results);
    back = 0;
    timed = false;
    for (unsigned i = 0; i < EVENTS; i++)
        things_share(&events[i], sizeof events[i]);
    things_share(&semaphore, sizeof semaphore);
    things_share(&channel, sizeof channel);
    explore_shared(&item, sizeof item);
    explore_shared(results, sizeof results);
}

static void start_timed(void)
{
    start();
    timed = true;
}

/* A worker with the waiter as a task. */
static void wait_for_events_and_stop(void *unused);
static void start_fiber(void)
{
    awake_start(1);
    start();
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE), "no memory");
    wsfj_load_start();
    wsfj_items_start();
    wsfj_use_forget();
    wsfj_use_become(WSFJ_UP);
    pools_give(0, 0);
    pools_give(0, 1);
    (void)wsfj_run_queue_push(&awake[0].detached.queue, (struct wsfj_item){wait_for_events_and_stop, NULL, NULL});
}

static void wait_for(struct ws_thing *things, size_t n)
{
    int error = ws_wait_any(things, n, timed ? wsfj_now() + 3 : WS_FOREVER);
    unsigned ready = 0;

    explore_must(error == 0 || (timed && error == ETIMEDOUT), "a wait fails");
    for (size_t i = 0; i < n; i++) {
        explore_must(!things[i].ready || results[i] == 1, "what is ready has not come");
        ready += things[i].ready != 0;
    }
    explore_must((ready > 0) == (error == 0), "nothing is ready, or the wait fails");
    back++;
}

static void wait_for_events(void)
{
    struct ws_thing things[] = {{WS_THING_EVENT, 0, &events[0]}, {WS_THING_EVENT, 0, &events[1]}};

    wait_for(things, EVENTS);
    for (unsigned i = 0; i < EVENTS; i++)
        if (things[i].ready)
            things_reuse(&events[i], sizeof events[i]);
}

static void wait_for_events_and_stop(void *unused)
{
    (void)unused;
    wait_for_events();
    wsfj_park_stop();
}

/* The unit or the item is there. */
static void wait_and_take(void)
{
    struct ws_thing things[] = {{WS_THING_SEMAPHORE, 0, &semaphore}, {WS_THING_RECEIVE, 0, &channel}};
    unsigned got = 0;

    wait_for(things, 2);
    if (things[0].ready)
        explore_must(ws_semaphore_try_wait(&semaphore) == 0, "a ready semaphore has no unit");
    if (things[1].ready)
        explore_must(ws_channel_try_receive(&channel, &got) == 0 && got == 5, "a ready channel has no item");
}

/* The event may come, or the deadline. */
static void set(unsigned i)
{
    results[i] = 1;
    ws_event_set(&events[i]);
}

static void set_first(void)
{
    set(0);
}

static void set_second(void)
{
    set(1);
}

static void post(void)
{
    results[0] = 1;
    ws_semaphore_post(&semaphore, 1);
}

static void send(void)
{
    results[1] = 1;
    explore_must(ws_channel_send(&channel, &(unsigned){5}) == 0, "a send fails");
}

static void is_back(void)
{
    explore_must(back == 1, "the waiter is not back once");
    for (unsigned i = 0; i < EVENTS; i++)
        things_forgotten(&events[i]);
    things_forgotten(&semaphore);
    things_forgotten(&channel);
}

#define LOCK "wsfj_spin_take", "exchange", "lock"
#define UNLOCK "wsfj_spin_give", "store", "lock"
#define CLAIM "claim", "cas", "&waiter->state"
#define ARM "wsfj_waiter_arm", "cas", "&waiter->state"

static const struct explore_mutant firsts[] = {
    {"no lock (WAIT-4)", LOCK, EXPLORE_SKIP, 0},
    {"the lock is given back relaxed (WAIT-4)", UNLOCK, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a setter claims in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {"a setter does not claim (WAIT-2)", CLAIM, EXPLORE_SKIP, 0},
    {"the waiter waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
    {"the waiter notes that it waits in two steps", "must_wait", "cas", "&event->wsfj_state", EXPLORE_SPLIT, 0},
    {"an event is set in two steps", "ws_event_set", "exchange", "&event->wsfj_state", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant takes[] = {{"no lock (WAIT-1)", LOCK, EXPLORE_SKIP, 0},
                                              {"the waiter waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
                                              {NULL}};

static const struct explore_program programs[] = {
    {"the first of two events", start, {wait_for_events, set_first, set_second}, is_back, {2, 0}, {2, 1}, firsts},
    {"a task, the first of two events", start_fiber, {awake_serve, set_first, set_second}, is_back, {1, 0}, {2, 0}, firsts},
    {"two events until a time", start_timed, {wait_for_events, set_first, set_second}, is_back, {2, 0}, {2, 1}, NULL},
    {"a unit or an item", start, {wait_and_take, post, send}, is_back, {2, 0}, {2, 1}, takes},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
