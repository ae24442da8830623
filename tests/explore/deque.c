/* SPDX-License-Identifier: MIT */
/*
 * The deque: an owner that spawns and syncs as a task's body does, and thieves. Each task runs exactly once, with its
 * own arguments, and its result is there after the sync (THE-1 to THE-6, JOIN-1).
 *
 * A parent that has to wait is not switched away from: its thread sleeps instead.
 */
#include "stacks.h"

#include "task/deque.h"
#include "core/join.h"
#include "idle/park.h"
#include "core/fiber.h"
#include "core/worker.h"

#include <string.h>

#define TASKS 4

static struct wsfj_stack *victim, *fresh[2];
static struct wsfj_worker worker;
static unsigned runs[TASKS];

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

WS_TASK(long, task, unsigned, id, long, value)
{
    (void)wsfj_f;
    explore_must(id < TASKS && runs[id]++ == 0, "a task runs twice");
    return value;
}

static void start(enum wsfj_mode mode)
{
    victim = explore_stack(0, mode);
    fresh[0] = explore_stack(1, mode);
    fresh[1] = explore_stack(2, mode);
    memset(&worker, 0, sizeof worker);
    victim->worker = &worker;
    memset(runs, 0, sizeof runs);
}

static void start_normal(void)
{
    start(WSFJ_MODE_NORMAL);
}

static void start_locked(void)
{
    start(WSFJ_MODE_LOCKED);
}

/* The first spawn is asked to expose. */
static void start_asked(void)
{
    start(WSFJ_MODE_NORMAL);
    wsfj_stack_refresh(victim);
}

static void spawn_one(void)
{
    long x = 0;
    EXPLORE_FRAME(victim);

    ws_spawn(task, &x, 0, 10);
    ws_sync();
    explore_must(x == 10, "a result is not there");
}

static void spawn_two(void)
{
    long x = 0, y = 0;
    EXPLORE_FRAME(victim);

    ws_spawn(task, &x, 0, 10);
    ws_spawn(task, &y, 1, 11);
    ws_sync();
    explore_must(x == 10 && y == 11, "a result is not there");
}

/* Both are likely to be stolen. */
static void spawn_two_slowly(void)
{
    long x = 0, y = 0;
    EXPLORE_FRAME(victim);

    ws_spawn(task, &x, 0, 10);
    ws_spawn(task, &y, 1, 11);
    explore_pause();
    ws_sync();
    explore_must(x == 10 && y == 11, "a result is not there");
}

/* The same descriptor again, in the stack's next life (THE-6). Thieves have time before each step. */
static void spawn_again(void)
{
    for (unsigned id = 0; id < 2; id++) {
        long x = 0;
        EXPLORE_FRAME(victim);

        ws_spawn(task, &x, id, 10);
        explore_pause();
        ws_sync();
        explore_must(x == 10, "a result is not there");
        explore_pause();
        wsfj_stack_refresh(victim);
    }
}

static void steal(bool force)
{
    struct wsfj_stack *own = fresh[explore_self() - 1];
    struct wsfj_stolen stolen;

    if (wsfj_deque_steal(victim, force, NULL, &stolen) != WSFJ_STEAL_GOT)
        return;
    explore_must(stolen.kind == &wsfj_kind_task, "what is stolen is no task");
    stolen.kind->exec(&own->deque, own->bottom, stolen.desc, stolen.desc->args);
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

static void force_thrice(void)
{
    steal(true);
    force_twice();
}

static void ask_twice(void)
{
    steal(false);
    steal(false);
}

static void check_runs(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        explore_must(runs[i] == 1, "a task is lost");
}

static void check_one(void)
{
    check_runs(1);
}

static void check_two(void)
{
    check_runs(2);
}

static const struct explore_mutant forced[] = {
    {"the barrier does nothing (THE-3)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {"the compiler may swap (THE-1)", "wsfj_publish_tail", "compiler fence", "", EXPLORE_SKIP, 0},
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&deque->tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the owner does not look (THE-2)", NULL, "load", "&(f->deque)->exposed", EXPLORE_VALUE, 0},
    {"the thief does not look (THE-3)", "force_locked", "load", "&s->deque.tail", EXPLORE_VALUE, UINTPTR_MAX},
    {"the lock is opened relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the lock is no lock (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant emptied[] = {
    {"the tail stays (THE-5)", "wsfj_deque_rebase", "store", "&s->deque.tail", EXPLORE_SKIP, 0},
    {"the lock is opened relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

/* Without the barrier the lock alone decides. */
static const struct explore_mutant locked[] = {
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&deque->tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the owner does not look (THE-2)", NULL, "load", "&(f->deque)->exposed", EXPLORE_VALUE, 0},
    {"the lock is opened relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the lock is taken relaxed (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

/* What is asked for is made public under the lock. */
static const struct explore_mutant asked[] = {
    {"the owner does not look (THE-2)", NULL, "load", "&(f->deque)->exposed", EXPLORE_VALUE, 0},
    {"the lock is opened relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the thief takes without the lock (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"one task, one thief that forces", start_normal, {spawn_one, force}, check_one, {3, 2}, {8, 6}, forced},
    {"two tasks, one thief that forces", start_normal, {spawn_two, force_twice}, check_two, {2, 1}, {4, 2}, forced},
    {"two tasks, two thieves that force", start_normal, {spawn_two, force, force}, check_two, {1, 1}, {3, 2}, forced},
    {"two tasks, one thief that asks", start_asked, {spawn_two, ask_twice}, check_two, {2, 1}, {4, 2}, asked},
    {"a desc used twice", start_normal, {spawn_again, force_twice}, check_two, {2, 1}, {4, 2}, forced},
    {"two tasks, all stolen", start_normal, {spawn_two_slowly, force_thrice}, check_two, {2, 1}, {3, 2}, emptied},
    {"two tasks, no barrier", start_locked, {spawn_two, force_twice}, check_two, {2, 1}, {4, 2}, locked},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
