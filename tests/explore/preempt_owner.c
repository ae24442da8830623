/* SPDX-License-Identifier: MIT */
/*
 * An owner that is asked to give up its worker: it meets the request at a spawn and gives way at the next sync, thieves take
 * what they find meanwhile, and it goes on (PREEMPT-1). Each task runs exactly once. Neighbours: deque.c, the same without
 * a request; preempt.c, who asks.
 *
 * Its stack is not left: others run while its thread pauses.
 */
#include "stacks.h"

#include "base/atomic.h"
#include "task/deque.h"
#include "core/join.h"
#include "idle/park.h"
#include "core/preempt.h"
#include "core/fiber.h"
#include "core/suspended.h"
#include "core/worker.h"

#include <string.h>

#define TASKS 2

static struct wsfj_stack *victim, *fresh;
static struct wsfj_worker worker;
static unsigned runs[TASKS], spawned, turns_given;

/* Asked for by what WS_TASK makes for calls outside any region, one or the other. */
__thread struct wsfj_deque *wsfj_tls;

struct wsfj_deque *wsfj_self_slow(void)
{
    return wsfj_tls;
}

void wsfj_fiber_leave(struct wsfj_stack *own, wsfj_after_switch *left)
{
    if (!left(own))
        explore_sleep(own);
}

void wsfj_park_notify(struct wsfj_worker *self)
{
    (void)self;
}

/* As wsfj_fiber_leave() and run() in worker.c do. */
void wsfj_preempt_give_way(struct wsfj_stack *own)
{
    explore_must(load_relaxed(&own->deque.tail) == own->bottom + spawned, "thieves do not see all that is pending");
    turns_given++;
    if (wsfj_deque_has_work(own))
        wsfj_suspended_add(own);
    explore_pause();
    wsfj_suspended_remove(own);
    wsfj_stack_lives(own, WSFJ_LIFE_RUNS);
}

WS_TASK(long, task, unsigned, id, long, value)
{
    (void)wsfj_f;
    explore_must(id < TASKS && runs[id]++ == 0, "a task runs twice");
    return value;
}

static void start_unasked(void)
{
    victim = explore_stack(0, WSFJ_MODE_NORMAL);
    fresh = explore_stack(1, WSFJ_MODE_NORMAL);
    memset(&worker, 0, sizeof worker);
    victim->worker = &worker;
    memset(runs, 0, sizeof runs);
    spawned = turns_given = 0;
    explore_tick = 1; /* no request is left for the next thief */
    wsfj_suspended_forget();
    wsfj_stack_lives(victim, WSFJ_LIFE_RUNS);
}

/* As lib/core/preempt.c does. */
static void ask(void)
{
    store_relaxed(&victim->preempt, (uint64_t)1);
    store_release(&victim->deque.limit, NULL);
}

static void start(void)
{
    start_unasked();
    ask();
}

static void start_locked(void)
{
    start();
    victim->deque.mode = WSFJ_MODE_LOCKED;
    victim->deque.exposed = victim->memory.last;
}

static void spawn_one(void)
{
    long x = 0;
    EXPLORE_FRAME(victim);

    ws_spawn(task, &x, 0, 10);
    spawned = 1;
    ws_sync();
    explore_must(x == 10, "a result is not there");
    explore_must(turns_given == 1, "it does not give way, or twice");
}

/* Its older task is pending while it gives way for the newer one. */
static void spawn_two(void)
{
    long x = 0, y = 0;
    EXPLORE_FRAME(victim);

    ws_spawn(task, &x, 0, 10);
    ws_spawn(task, &y, 1, 11);
    spawned = 2;
    ws_sync();
    explore_must(x == 10 && y == 11, "a result is not there");
    explore_must(turns_given == 1, "it does not give way, or twice");
}

/* Met at one of the two spawns, or not at all. */
static void be_asked(void)
{
    long x = 0, y = 0;
    EXPLORE_FRAME(victim);

    ws_spawn(task, &x, 0, 10);
    ws_spawn(task, &y, 1, 11);
    spawned = 2;
    ws_sync();
    explore_must(x == 10 && y == 11, "a result is not there");
}

static void steal(bool force)
{
    struct wsfj_stolen stolen;

    if (wsfj_deque_steal(victim, force, NULL, &stolen) != WSFJ_STEAL_GOT)
        return;
    stolen.kind->exec(&fresh->deque, fresh->bottom, stolen.desc, stolen.desc->args);
    if (wsfj_join_finish(stolen.desc, stolen.kind))
        explore_must(explore_wake(victim), "a parent is resumed that does not wait");
}

static void force(void)
{
    steal(true);
}

static void force_twice(void)
{
    steal(true);
    steal(true);
}

static void take_twice(void)
{
    steal(false);
    steal(false);
}

/* Takes it from the list, as a thief does that knows no worker with tasks. */
static void take_listed(void)
{
    for (unsigned i = 0; i < 2; i++) {
        if (wsfj_suspended_next() == victim)
            steal(false);
        explore_pause();
    }
}

static void check_one(void)
{
    explore_must(runs[0] == 1, "a task is lost");
}

static void check_two(void)
{
    explore_must(runs[0] == 1 && runs[1] == 1, "a task is lost");
}

static void check_answer(void)
{
    check_two();
    explore_must(turns_given == 1 || !victim->deque.limit, "a request is met and not answered");
}

static const struct explore_mutant forced[] = {
    {"the next sync does not come out of desc (PREEMPT-1)", "wsfj_deque_publish_all", "store", "&s->deque.exposed",
     EXPLORE_SKIP, 0},
    {"the request is not met (PREEMPT-1)", "wsfj_stack_is_asked", "load", "&own->preempt", EXPLORE_VALUE, 0},
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&deque->tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the lock is opened relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the lock is no lock (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant taken[] = {
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&deque->tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the lock is no lock (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant listed[] = {
    {"the lock is no lock (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant requests[] = {
    {"the request is only seen (PREEMPT-1)", "wsfj_spawn_slow", "exchange", "&deque->limit", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the request is not released (PREEMPT-1)", "ask", "store", "&victim->deque.limit", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_program programs[] = {
    {"one task, a thief that forces", start, {spawn_one, force}, check_one, {2, 2}, {4, 2}, forced},
    {"two tasks, a thief that forces", start, {spawn_two, force_twice}, check_two, {3, 0}, {3, 2}, forced},
    {"two tasks, a thief that takes", start, {spawn_two, take_twice}, check_two, {2, 1}, {3, 2}, taken},
    {"two tasks, a thief that looks at the list", start, {spawn_two, take_listed}, check_two, {2, 1}, {3, 2}, listed},
    {"two tasks, no barrier", start_locked, {spawn_two, take_twice}, check_two, {2, 1}, {3, 2}, taken},
    {"a request that comes late", start_unasked, {be_asked, ask}, check_answer, {3, 2}, {6, 4}, requests},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
