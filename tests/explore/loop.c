/* SPDX-License-Identifier: MIT */
/*
 * Sleep and wake under the scheduler's real loop (lib/sched/serve.c), with real stack switches: a guest runs a root
 * that spawns and then waits until its child has been taken, while the only other worker gives up searching (PARK-1 to
 * PARK-3).
 */
#include "crew.h"

#include "api/guest_root.h"
#include "base/atomic.h"
#include "blocking/spare.h"
#include "idle/park.h"
#include "idle/wake.h"
#include "sched/fiber.h"
#include "sched/fiber_run.h"
#include "sched/serve.h"
#include "sched/steal.h"
#include "task/deque.h"
#include "task/region.h"

#include <string.h>

static struct wsfj_stack *spare;
static struct wsfj_thread thread;
static struct wsfj_region region;
static struct wsfj_descriptor root_line;

WS_TASK_VOID(task)
{
    (void)wsfj_f;
    crew_take();
}

WS_TASK_VOID(root)
{
    ws_spawn(task);
    crew_wait(1);
    ws_sync();
}

void wsfj_pool_give(struct wsfj_cache *cache, struct wsfj_stack *s)
{
    if (cache == &crew[1].cache)
        spare = s;
}

struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct wsfj_stack *victim = load_acquire(&crew[0].stack), *fresh = spare;
    struct wsfj_stolen stolen;
    enum wsfj_steal got;

    if (w->id == 0 || !victim || !fresh)
        return NULL;
    got = wsfj_deque_steal(victim, true, only, &stolen);
    if (got == WSFJ_STEAL_BUSY)
        engine_pause(); /* a search takes time: the thread that has the lock goes on meanwhile */
    if (got != WSFJ_STEAL_GOT)
        return NULL;
    store_relaxed(&fresh->job.stolen, stolen.desc);
    store_relaxed(&fresh->job.kind, stolen.kind);
    store_relaxed(&fresh->job.region, stolen.region);
    spare = NULL;
    return fresh;
}

static void start(void)
{
    struct wsfj_call_how how;

    crew_start(2, 1);
    spare = explore_stack(1, WSFJ_MODE_NORMAL);
    wsfj_context_make(&crew_stack->context, crew_stack->memory.low, crew_stack->memory.size, wsfj_fiber_main,
                      crew_stack);
    wsfj_context_make(&spare->context, spare->memory.low, spare->memory.size, wsfj_fiber_main, spare);
    memset(&region, 0, sizeof region);
    region.root = &root_line;
    region.state = WSFJ_REGION_RUNS;
    crew_stack->job.region = &region;
    (void)wsfj_spawn_of_root(&crew_stack->deque, &root_line, &how);
}

static void caller(void)
{
    explore_must(wsfj_guest_root_run(&crew[0], crew_stack) != WSFJ_SERVED_LENT, "lent");
    crew_wait(1);
    wsfj_park_stop();
}

static void thief(void)
{
    (void)wsfj_serve(&crew[1], &thread);
}

static const struct explore_mutant mutants[] = {
    {"the stack is published with a release (PARK-3)", "wsfj_fiber_run_show", "store", "&w->stack", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the counts are read relaxed (PARK-3)", "wsfj_idle_counts", "load", "&wsfj_idle_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a request is not carried over (PARK-3)", "wsfj_wake_carry_over", "store", "&stack->deque.wsfj_limit",
     EXPLORE_SKIP, 0},
    {"the recheck reads stacks relaxed (PARK-3)", "any_running", "load",
     "&wsfj_workers[wsfj_awake_lowest(first, awake)].stack", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_program programs[] = {
    {"the whole loop", start, {caller, thief}, NULL, {1, 2}, {2, 2}, mutants},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
