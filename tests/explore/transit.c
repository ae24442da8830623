/* SPDX-License-Identifier: MIT */
/*
 * Thieves that are not counted as searching, while the last searcher gives up: a worker that steals between two tasks
 * of its own, with the items that it steals besides (PARK-5); a guest that holds the lock of a deque whose owner is
 * about to answer (PARK-1). A lost wake-up is a deadlock.
 */
#define WSFJ_POLICY_VARIABLE
#include "crew.h"

#include "base/policy.h"
#include "idle/park.h"
#include "idle/wake.h"
#include "sched/dispatch.h"
#include "sched/fresh.h"
#include "sched/load.h"
#include "sched/steal.h"
#include "task/deque.h"
#include "task/region.h"
#include "worker/stopping.h"

struct wsfj_policy wsfj_policy = WSFJ_POLICY;
static struct wsfj_stack *fresh;
static struct wsfj_region elsewhere;

static void function(void *arg)
{
    (void)arg;
}

WS_TASK_VOID(task)
{
    (void)wsfj_f;
    crew_take();
}

struct wsfj_stack *wsfj_fresh_stack(struct wsfj_worker *w)
{
    (void)w;
    return fresh;
}

/* try_queue() in steal.c, for worker 0 only. */
struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct wsfj_item item;

    (void)only;
    if (!wsfj_run_queue_steal(&crew[0].detached.queue, &w->detached.queue, &item))
        return NULL;
    wsfj_load_item(fresh, item);
    return fresh;
}

/* Two items are in worker 0's run queue; a thief takes both. Worker 1 is busy, worker 2 searches. */
static void start_items(void)
{
    crew_start(3, 1);
    fresh = crew_stack;
    wsfj_policy.queue_quarters = 4;
    for (int i = 0; i < 2; i++)
        (void)wsfj_run_queue_push(&crew[0].detached.queue, (struct wsfj_item){function, NULL, NULL});
}

/* Worker 1 steals between two tasks of its own. The task that it runs then is long. */
static void busy(void)
{
    if (wsfj_dispatch(&crew[1], true))
        crew_take();
    crew_wait(2);
    wsfj_park_stop();
}

static bool take_item(struct wsfj_worker *w)
{
    struct wsfj_item item;

    return wsfj_run_queue_pop(&w->detached.queue, &item) ||
           wsfj_run_queue_steal(&crew[0].detached.queue, &w->detached.queue, &item) ||
           wsfj_run_queue_steal(&crew[1].detached.queue, &w->detached.queue, &item);
}

/* Gives up, sleeps, and takes whatever it is woken for. */
static void sleeper(void)
{
    struct wsfj_worker *w = &crew[2];

    while (!wsfj_stopping()) {
        wsfj_park_sleep(w, true);
        for (unsigned n = 0; take_item(w); n++) {
            crew_take();
            if (n == 1)
                return;
        }
    }
}

/* Worker 0 runs its stack, worker 1 has a guest, worker 2 searches. */
static void start_guest(void)
{
    crew_start(3, 1);
    crew[0].stack = crew_stack;
}

static void spawner(void)
{
    EXPLORE_FRAME(crew_stack);

    ws_spawn(task);
    crew_wait(1);
    wsfj_park_stop();
}

/* Looks only for tasks of its own region, and finds none. */
static void guest(void)
{
    struct wsfj_stolen stolen;

    explore_must(wsfj_deque_steal(crew_stack, true, &elsewhere, &stolen) != WSFJ_STEAL_GOT,
                 "a task of another region is stolen");
}

static void thief(void)
{
    struct wsfj_stolen stolen;

    while (!wsfj_stopping()) {
        wsfj_park_sleep(&crew[2], true);
        if (wsfj_deque_steal(crew_stack, true, NULL, &stolen) == WSFJ_STEAL_GOT) {
            wsfj_wake_found(&crew[2]);
            crew_take();
            return;
        }
        engine_pause();
    }
}

static const struct explore_mutant items[] = {{"the other stolen items are written with a release (PARK-5)", "publish",
                                               "store", "&queue->tail", EXPLORE_WEAKER, __ATOMIC_RELEASE},
                                              {"the recheck is relaxed (PARK-5)", "wsfj_run_queue_pending", "load",
                                               "&queue->tail", EXPLORE_WEAKER, __ATOMIC_RELAXED},
                                              {"the thief reads the counts relaxed (PARK-5)",
                                               "wsfj_idle_counts_claim_searcher", "load", "&wsfj_idle_state",
                                               EXPLORE_WEAKER, __ATOMIC_RELAXED},
                                              {NULL}};

static const struct explore_mutant locks[] = {
    {"the barrier does nothing (PARK-2)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {"the recheck leaves no request (PARK-2)", "lower", "store", "&s->deque.wsfj_limit", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"several stolen items, and the last searcher", start_items, {busy, sleeper}, NULL, {2, 1}, {4, 2}, items},
    {"a guest has the lock when the owner answers", start_guest, {spawner, guest, thief}, NULL, {2, 0}, {3, 1}, locks},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
