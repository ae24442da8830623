/* SPDX-License-Identifier: MIT */
/*
 * Suspended deques (BLOCK-2) under the scheduler's real loop: a fiber with a pending child waits for a group, or has
 * yielded and comes back, while the other worker falls asleep. That worker learns of the child, wherever it is: in a
 * worker's stack or in the list. A lost wake-up is a deadlock, because the first worker has a long task. Neighbour:
 * blocking.c, whose fibers lend their slot.
 */
#include "crew.h"
#include "pools.h"

#include "blocking/spare.h"
#include "idle/park.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "sched/fiber_run.h"
#include "sched/load.h"
#include "sched/serve.h"
#include "task/item.h"
#include "task/suspended.h"
#include "worker/items.h"
#include "worker/own.h"
#include "worker/use.h"

#include <string.h>

static ws_group group;
static struct wsfj_thread threads[CREW];

WS_TASK_VOID(child)
{
    (void)wsfj_f;
    crew_take();
}

static struct wsfj_stack *own_stack(void)
{
    return wsfj_own_stack();
}

/* A task of the group, until the child has run. */
static void wait_for_child(void *arg)
{
    (void)arg;
    crew_wait(1);
}

static void spawn_and_wait(void *arg)
{
    EXPLORE_FRAME(own_stack());

    (void)arg;
    ws_spawn(child);
    explore_must(ws_group_wait(&group) == 0, "a lone waiter is refused");
    ws_sync();
    wsfj_park_stop();
}

/* Comes back with the child, and runs on. */
static void spawn_and_yield(void *arg)
{
    EXPLORE_FRAME(own_stack());

    (void)arg;
    ws_spawn(child);
    ws_yield();
    crew_wait(1);
    ws_sync();
    wsfj_park_stop();
}

/* Without a child: it is the fiber itself that waits. */
static void only_yield(void *arg)
{
    (void)arg;
    ws_yield();
    crew_take();
    wsfj_park_stop();
}

static void push(ws_function *fn, ws_group *of)
{
    (void)wsfj_run_queue_push(&crew[0].detached.queue, (struct wsfj_item){fn, NULL, of});
}

/* Worker 0 has the tasks, worker 1 searches. */
static void start(ws_function *first)
{
    crew_start(2, 2);
    explore_thread_local(&wsfj_tls);
    wsfj_load_start();
    wsfj_items_start();
    wsfj_suspended_forget();
    wsfj_use_forget();
    wsfj_use_become(WSFJ_UP);
    ws_group_init(&group);
    pools_start();
    for (unsigned i = 0; i < 4; i++)
        pools_give(i / 2, i);
    push(first, NULL);
}

static void start_waiter(void)
{
    start(spawn_and_wait);
    wsfj_group_add(&group);
    push(wait_for_child, &group);
}

static void start_yielder(void)
{
    start(spawn_and_yield);
}

static void start_fiber(void)
{
    start(only_yield);
    push(wait_for_child, NULL);
}

static void serve(void)
{
    unsigned i = explore_self();

    (void)wsfj_serve(&crew[i], &threads[i]);
}

/* The worker has found nothing, and falls asleep. */
static void sleeper(void)
{
    wsfj_park_sleep(&crew[1], true);
    serve();
}

static void nothing_is_left(void)
{
    explore_must(wsfj_suspended_count() == 0, "a deque that is not suspended is listed");
    explore_must(pools_free() == 4, "a stack is lost");
}

static const struct explore_mutant waits[] = {
    {"the deque is listed late (BLOCK-2)", "wsfj_suspended_add", "store", "&wsfj_suspended_listed", EXPLORE_LATE, 6},
    {"the deque is not listed (BLOCK-2)", "wsfj_suspended_add", "store", "&wsfj_suspended_listed", EXPLORE_SKIP, 0},
    {"the recheck does not see the list (BLOCK-2)", "wsfj_suspended_count", "load", "&wsfj_suspended_listed",
     EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant yields[] = {{"the deque leaves the list before it is the worker's (BLOCK-2)",
                                                "wsfj_fiber_run_show", "store", "&w->stack", EXPLORE_LATE, 6},
                                               {"nobody is told of the child (PARK-5)",
                                                "wsfj_idle_counts_claim_searcher", "load", "&wsfj_idle_state",
                                                EXPLORE_VALUE, 1},
                                               {NULL}};

static const struct explore_mutant fibers[] = {
    {"the fibers' count is written with a release (PARK-5)", "append_fiber_locked", "store", "&wsfj_global_fibers",
     EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the fibers' count is read with an acquire (PARK-5)", "wsfj_global_queue_has_fibers", "load",
     "&wsfj_global_fibers", EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {NULL}};

static const struct explore_program programs[] = {
    {"a fiber with a child waits for a group", start_waiter, {serve, sleeper}, nothing_is_left, {2, 0}, {2, 0}, waits},
    {"a fiber with a child yields", start_yielder, {serve, sleeper}, nothing_is_left, {2, 0}, {2, 0}, yields},
    {"a fiber yields to a long task", start_fiber, {serve, sleeper}, nothing_is_left, {1, 1}, {2, 1}, fibers},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
