/* SPDX-License-Identifier: MIT */
/*
 * An owner with a request to give up its worker: it finds the request at a spawn and gives way at the next sync,
 * thieves take what they find meanwhile, and it goes on (PREEMPT-1). Each task runs exactly once. Neighbours: deque.c,
 * the same without a request; preempt.c, the thread that makes requests.
 *
 * The owner does not leave its stack: others run while its thread pauses.
 */
#include "owner.h"

#include "base/atomic.h"
#include "sched/give_way.h"
#include "task/deque.h"
#include "task/suspended.h"

static unsigned gave_way;

/* As wsfj_leave_stack() and run() in serve.c do. */
void wsfj_give_way(struct wsfj_stack *own)
{
    explore_must(load_relaxed(&own->deque.wsfj_tail) == own->bottom + owner_spawned,
                 "thieves do not see all pending tasks");
    gave_way++;
    if (wsfj_deque_has_work(own))
        wsfj_suspended_add(own);
    engine_pause();
    wsfj_suspended_remove(own);
    wsfj_stack_lives(own, WSFJ_LIFE_RUNS);
}

static void start_without_request(void)
{
    owner_start(WSFJ_MODE_NORMAL);
    gave_way = 0;
    explore_tick = 1; /* the next thief finds no earlier request */
    wsfj_suspended_forget();
    wsfj_stack_lives(owner, WSFJ_LIFE_RUNS);
}

/* As lib/idle/preempt.c does. */
static void request(void)
{
    store_relaxed(&owner->preempt, (uint64_t)1);
    store_release(&owner->deque.wsfj_limit, NULL);
}

static void start(void)
{
    start_without_request();
    request();
}

static void start_locked(void)
{
    start();
    owner->deque.wsfj_mode = WSFJ_MODE_LOCKED;
    owner->deque.wsfj_exposed = owner->memory.last;
}

static void spawn_one(void)
{
    owner_spawn_one();
    explore_must(gave_way == 1, "the owner does not give way exactly once");
}

/* The older task is pending while the owner gives way for the newer one. */
static void spawn_two(void)
{
    owner_spawn_two();
    explore_must(gave_way == 1, "the owner does not give way exactly once");
}

/* Takes the deque from the list, as a thief does that knows no worker with tasks. */
static void steal_listed(void)
{
    for (unsigned i = 0; i < 2; i++) {
        if (wsfj_suspended_next() == owner)
            owner_steal(false);
        engine_pause();
    }
}

/* The owner finds the request at one of its two spawns, or not at all. */
static void check_answer(void)
{
    owner_check_two();
    explore_must(gave_way == 1 || !owner->deque.wsfj_limit, "a request is found and not answered");
}

static const struct explore_mutant forced[] = {
    {"the next sync stays inline (PREEMPT-1)", "wsfj_deque_publish_all", "store", "&s->deque.wsfj_exposed",
     EXPLORE_SKIP, 0},
    {"the request is not found (PREEMPT-1)", "wsfj_stack_is_asked", "load", "&own->preempt", EXPLORE_VALUE, 0},
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&wsfj_deque->wsfj_tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the lock is released relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the lock does not exclude (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant stolen[] = {
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&wsfj_deque->wsfj_tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the lock does not exclude (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant listed[] = {
    {"the lock does not exclude (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant requests[] = {{"the request is read relaxed (PREEMPT-1)", "wsfj_deque_answer",
                                                  "exchange", "&own->deque.wsfj_limit", EXPLORE_WEAKER,
                                                  __ATOMIC_RELAXED},
                                                 {"the request is written relaxed (PREEMPT-1)", "request", "store",
                                                  "&owner->deque.wsfj_limit", EXPLORE_WEAKER, __ATOMIC_RELAXED},
                                                 {NULL}};

static const struct explore_program programs[] = {
    {"one task, a thief that forces", start, {spawn_one, owner_force}, owner_check_one, {2, 2}, {4, 2}, forced},
    {"two tasks, a thief that forces", start, {spawn_two, owner_force_twice}, owner_check_two, {3, 0}, {3, 2}, forced},
    {"two tasks, a thief that steals", start, {spawn_two, owner_steal_twice}, owner_check_two, {2, 1}, {3, 2}, stolen},
    {"two tasks, a thief that reads the list", start, {spawn_two, steal_listed}, owner_check_two, {2, 1}, {3, 2}, listed},
    {"two tasks, no barrier", start_locked, {spawn_two, owner_steal_twice}, owner_check_two, {2, 1}, {3, 2}, stolen},
    {"a late request", start_without_request, {owner_spawn_two, request}, check_answer, {3, 2}, {6, 4}, requests},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
