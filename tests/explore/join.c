/* SPDX-License-Identifier: MIT */
/*
 * The join, under the scheduler's real loop (lib/sched/serve.c) and with real stack switches: thieves steal a root's
 * children, the root is suspended at its sync, and the last child to finish resumes the root or sends it to a mailbox.
 * The root goes on exactly once, after the switch away from its stack, with all results; then its region ends (JOIN-1
 * to JOIN-3, MAIL-1). In some executions it waits a moment before it is suspended (JOIN-4).
 *
 * A thief here takes at once what it may take: deque.c explores how a thief gets a task.
 *
 * With FULL, a deque is full after its first child: the root spawns in a loop, which calls its newest child, or waits for
 * all of them if thieves have each.
 */
#include "awake.h"

#include "api/guest_root.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "idle/park.h"
#include "idle/waiting.h"
#include "queue/root.h"
#include "sched/dispatch.h"
#include "task/join.h"
#include "sched/steal.h"
#include "task/deque.h"
#include "task/pool.h"
#include "task/region.h"

#include <string.h>

static struct wsfj_stack *first;
static struct wsfj_region region;
static struct wsfj_descriptor root_line;
static long result;
static unsigned children;

WS_TASK(long, child, long, n)
{
    (void)wsfj_f;
    engine_pause(); /* time for the parent to reach its sync */
    return n;
}

#ifdef FULL
WS_TASK(long, root, unsigned, n)
{
    long x[2] = {0, 0};

    for (unsigned i = 0; i < n; i++)
        ws_spawn(child, &x[i], 20 + 2 * (long)i);
    ws_sync();
    return x[0] + x[1];
}
#else
WS_TASK(long, root, unsigned, n)
{
    long x = 0, y = 0;

    ws_spawn(child, &x, 20);
    if (n > 1)
        ws_spawn(child, &y, 22);
    engine_pause(); /* time for thieves */
    ws_sync();
    return x + y;
}
#endif

struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct wsfj_stack *fresh = wsfj_pool_take(&w->cache), *victim = load_acquire(&awake[0].stack);
    struct wsfj_stolen stolen;

    if (!fresh)
        return NULL;
    if (w->id == 0 || !victim || wsfj_deque_steal(victim, true, only, &stolen) != WSFJ_STEAL_GOT) {
        wsfj_pool_give(&w->cache, fresh);
        return NULL;
    }
    store_relaxed(&fresh->job.stolen, stolen.desc);
    store_relaxed(&fresh->job.kind, stolen.kind);
    store_relaxed(&fresh->job.region, stolen.region);
    return fresh;
}

void wsfj_root_finish(struct wsfj_region *done, enum wsfj_region_state state)
{
    store_release(&done->state, state);
}

struct wsfj_stack *wsfj_dispatch(struct wsfj_worker *w, bool steal)
{
    (void)w;
    (void)steal;
    return NULL;
}

bool wsfj_waiting_any(void)
{
    return false;
}

bool wsfj_waiting_others(const struct wsfj_region *guest)
{
    (void)guest;
    return false;
}

bool wsfj_dispatch_owes_a_steal(const struct wsfj_worker *w)
{
    (void)w;
    return false;
}

struct wsfj_stack *wsfj_detached_run(struct wsfj_stack *own)
{
    (void)own;
    return NULL;
}

static void start(unsigned n)
{
    struct wsfj_call_how how;

    children = n;
    result = 0;
    memset(&region, 0, sizeof region);
    awake_start(AWAKE);
    explore_tick = wsfj_policy.join_wait_ns; /* a short wait is one pause: who goes on then is a choice */
    awake_may_wait = n == 2 && explore_choose(2);
    for (unsigned i = 0; i < AWAKE; i++)
        pools_give(i, i);
    first = wsfj_pool_take(&awake[0].cache);
    region.root = &root_line;
    region.rp = &result;
    region.state = WSFJ_REGION_RUNS;
    first->job.region = &region;
    (void)wsfj_spawn_of_root(&first->deque, &root_line, &how, &result, n);
    explore_shared(&result, sizeof result);
    explore_shared(&region, sizeof region);
}

#ifndef FULL
static void start_one(void)
{
    start(1);
}
#endif

static void start_two(void)
{
    start(2);
}

/* As in ws_run(): a guest runs the root, and waits elsewhere when it has nothing more to do for the root. */
static void caller(void)
{
    if (wsfj_guest_root_run(&awake[0], first) != WSFJ_SERVED_DONE) {
        while (load_acquire(&region.state) == WSFJ_REGION_RUNS)
            engine_pause();
    }
    explore_must(result == (children == 1 ? 20 : 42), "a result is wrong");
    wsfj_park_stop();
}

#ifdef FULL
static const struct explore_mutant full[] = {
    {"children are not counted (JOIN-2)", "wait_for", "store", "&own->join", EXPLORE_SKIP, 0},
    {NULL}};
#else
static const struct explore_mutant one[] = {
    {"the parent's own unit is not counted (JOIN-3)", "wait_for", "store", "&own->join", EXPLORE_VALUE, 1},
    {"children are not counted (JOIN-2)", "wait_for", "store", "&own->join", EXPLORE_SKIP, 0},
    {"the count is written in two steps (JOIN-2)", "register_parent", "cas", "&l->wsfj_word", EXPLORE_SPLIT, 0},
    {"the count is written relaxed (JOIN-2)", "register_parent", "cas", "&l->wsfj_word", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a child finishes in two steps (JOIN-1)", "wsfj_join_finish", "exchange", "&desc->wsfj_word", EXPLORE_SPLIT, 0},
    {"a child finishes relaxed (JOIN-1)", "wsfj_join_finish", "exchange", "&desc->wsfj_word", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a child arrives relaxed (JOIN-3)", "wsfj_join_arrive", "sub", "&parent->join", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a child arrives in two steps (JOIN-3)", "wsfj_join_arrive", "sub", "&parent->join", EXPLORE_SPLIT, 0},
    {"the mailbox is closed in two steps (MAIL-1)", "wsfj_mailbox_pause", "exchange", "&w->mailbox", EXPLORE_SPLIT, 0},
    {"the mailbox is closed relaxed (MAIL-1)", "wsfj_mailbox_pause", "exchange", "&w->mailbox", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {NULL}};

/* Two children arrive at the same time. */
static const struct explore_mutant two[] = {
    {"a child that runs is taken for done (JOIN-4)", "open_child", "load", "&desc->wsfj_word", EXPLORE_VALUE, 1},
    {"a look at a child is relaxed (JOIN-4)", "open_child", "load", "&desc->wsfj_word", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"children are not counted (JOIN-2)", "wait_for", "store", "&own->join", EXPLORE_SKIP, 0},
    {"the count is written in two steps (JOIN-2)", "register_parent", "cas", "&l->wsfj_word", EXPLORE_SPLIT, 0},
    {"a child arrives in two steps (JOIN-3)", "wsfj_join_arrive", "sub", "&parent->join", EXPLORE_SPLIT, 0},
    {"a child arrives relaxed (JOIN-3)", "wsfj_join_arrive", "sub", "&parent->join", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};
#endif

#ifdef FULL
static const struct explore_program programs[] = {
    {"a full deque, one thief", start_two, {caller, awake_serve}, NULL, {2, 1}, {3, 1}, full},
    {NULL}};
#else
static const struct explore_program programs[] = {
    {"one child, one thief", start_one, {caller, awake_serve}, NULL, {2, 1}, {3, 1}, one},
    {"two children, one thief", start_two, {caller, awake_serve}, NULL, {1, 1}, {3, 1}, one},
    {"two children, two thieves", start_two, {caller, awake_serve, awake_serve}, NULL, {1, 0}, {2, 1}, two},
    {NULL}};
#endif

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
