/* SPDX-License-Identifier: MIT */
/*
 * The deque: an owner that spawns and syncs, and thieves. Each task runs exactly once, with its own arguments, and its
 * result is there after the sync (THE-1 to THE-6, JOIN-1).
 */
#include "owner.h"

#include "task/deque.h"

static void start_normal(void)
{
    owner_start(WSFJ_MODE_NORMAL);
}

static void start_locked(void)
{
    owner_start(WSFJ_MODE_LOCKED);
}

/* The first spawn finds a thief's request to expose. */
static void start_with_request(void)
{
    owner_start(WSFJ_MODE_NORMAL);
    wsfj_stack_refresh(owner);
}

/* Without the barrier. A request of an earlier recheck stands. */
static void start_standing(void)
{
    owner_start(WSFJ_MODE_LOCKED);
    owner->deque.wsfj_limit = NULL;
    owner->stands = owner->answers + 1;
}

/* As for the next task of a row: the stack stays published. */
static void refresh(void)
{
    wsfj_stack_refresh(owner);
    (void)wsfj_deque_has_work(owner);
}

static void recheck(void)
{
    (void)wsfj_deque_request(owner);
}

/* What later rechecks leave alone is a request. */
static void check_standing(void)
{
    explore_must(owner->stands != owner->answers + 1 || !owner->deque.wsfj_limit, "no request stands");
}

/* The pause makes it likely that both tasks are stolen. */
static void spawn_two_slowly(void)
{
    long x = 0, y = 0;
    EXPLORE_FRAME(owner);

    ws_spawn(owner_task, &x, 0, 10);
    ws_spawn(owner_task, &y, 1, 11);
    engine_pause();
    ws_sync();
    explore_must(x == 10 && y == 11, "a result is missing");
}

/* Uses the same descriptor again, in the stack's next life (THE-6). Thieves have time before each step. */
static void spawn_again(void)
{
    for (unsigned id = 0; id < 2; id++) {
        long x = 0;
        EXPLORE_FRAME(owner);

        ws_spawn(owner_task, &x, id, 10);
        engine_pause();
        ws_sync();
        explore_must(x == 10, "a result is missing");
        engine_pause();
        wsfj_stack_refresh(owner);
    }
}

static void force_thrice(void)
{
    owner_force();
    owner_force_twice();
}

static const struct explore_mutant forced[] = {
    {"the barrier does nothing (THE-3)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {"the compiler may reorder (THE-1)", "wsfj_publish_tail", "compiler fence", "", EXPLORE_SKIP, 0},
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&wsfj_deque->wsfj_tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the owner does not check (THE-2)", NULL, "load", "&(wsfj_f->wsfj_deque)->wsfj_exposed", EXPLORE_VALUE, 0},
    {"the thief does not check (THE-3)", "force_locked", "load", "&s->deque.wsfj_tail", EXPLORE_VALUE, UINTPTR_MAX},
    {"the lock is released relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the lock does not exclude (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

/* The next task is in a descriptor that the thief knows. */
static const struct explore_mutant again[] = {
    {"the barrier does nothing (THE-3)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&wsfj_deque->wsfj_tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the forced task is read relaxed (THE-1)", "force_locked", "load", "&s->deque.wsfj_tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the lock does not exclude (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant emptied[] = {
    {"an arrived child's word is read relaxed (JOIN-1)", "register_parent", "load", "&l->wsfj_word", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a child that has just arrived is found without an acquire (JOIN-2)", "register_parent", "cas", "&l->wsfj_word",
     EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"a child finishes without a release (JOIN-1)", "wsfj_join_finish", "exchange", "&desc->wsfj_word", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"a child arrives without a release (JOIN-3)", "wsfj_join_arrive", "sub", "&parent->join", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"a child arrives without an acquire (JOIN-3)", "wsfj_join_arrive", "sub", "&parent->join", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the parent takes off those that have arrived without an acquire (JOIN-2)", "wait_for", "sub", "&own->join",
     EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the tail stays (THE-5)", "wsfj_deque_rebase", "store", "&s->deque.wsfj_tail", EXPLORE_SKIP, 0},
    {"the lock is released relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

/* Without the barrier the lock alone decides. */
static const struct explore_mutant locked[] = {
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&wsfj_deque->wsfj_tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the owner does not check (THE-2)", NULL, "load", "&(wsfj_f->wsfj_deque)->wsfj_exposed", EXPLORE_VALUE, 0},
    {"the lock is released relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the lock is acquired relaxed (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

/* The owner exposes a requested task under the lock. */
static const struct explore_mutant requested[] = {
    {"the owner does not check (THE-2)", NULL, "load", "&(wsfj_f->wsfj_deque)->wsfj_exposed", EXPLORE_VALUE, 0},
    {"the lock is released relaxed (THE-4)", "unlock", "store", "&s->lock", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the thief steals without the lock (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {"the offer is taken back after the unlock (THE-7)", "expose_to", "store", "&s->offered", EXPLORE_LATE, 2},
    {NULL}};

static const struct explore_mutant renewed[] = {
    {"the next use of a stack is no answer (PARK-10)", "wsfj_stack_refresh", "store", "&s->answers", EXPLORE_SKIP, 0},
    {"it is counted before the limit is written (PARK-10)", "wsfj_stack_refresh", "store", "&s->deque.wsfj_limit",
     EXPLORE_LATE, 2},
    {NULL}};

static const struct explore_program programs[] = {
    {"one task, one thief that forces",
     start_normal,
     {owner_spawn_one, owner_force},
     owner_check_one,
     {3, 2},
     {8, 6},
     forced},
    {"two tasks, one thief that forces",
     start_normal,
     {owner_spawn_two, owner_force_twice},
     owner_check_two,
     {2, 1},
     {4, 2},
     forced},
    {"two tasks, two thieves that force",
     start_normal,
     {owner_spawn_two, owner_force, owner_force},
     owner_check_two,
     {1, 1},
     {3, 2},
     forced},
    {"two tasks, one thief that requests",
     start_with_request,
     {owner_spawn_two, owner_steal_twice},
     owner_check_two,
     {2, 1},
     {4, 2},
     requested},
    {"a descriptor used twice", start_normal, {spawn_again, owner_force_twice}, owner_check_two, {2, 1}, {4, 2}, again},
    {"two tasks, all stolen", start_normal, {spawn_two_slowly, force_thrice}, owner_check_two, {2, 1}, {3, 2}, emptied},
    {"two tasks, no barrier", start_locked, {owner_spawn_two, owner_force_twice}, owner_check_two, {2, 1}, {4, 2}, locked},
    {"a recheck, and a stack's next use", start_standing, {refresh, recheck}, check_standing, {2, 1}, {4, 2}, renewed},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
