/* SPDX-License-Identifier: MIT */
/*
 * Scopes: a thief finds the scope of its task while the owner begins and ends scopes above it. A dropped task's result
 * is zero, a scope that has ended is not touched, and an end that returns 0 has all results (SCOPE-1, SCOPE-2).
 */
#include "owner.h"

#include "base/atomic.h"
#include "task/join.h"
#include "task/deque.h"
#include "task/scope.h"

#include <string.h>

#define THIEVES 2

static ws_scope scope;
static struct wsfj_stack *fresh[THIEVES];
static bool dropped[2]; /* by the number of the task */
static bool runs;       /* a thief has run one */
static long data[2];
static int won[2];

static void start(void)
{
    owner_start(WSFJ_MODE_NORMAL);
    for (unsigned i = 0; i < THIEVES; i++)
        fresh[i] = explore_stack(1 + i, WSFJ_MODE_NORMAL);
    memset(&scope, 0, sizeof scope);
    memset(dropped, 0, sizeof dropped);
    memset(data, 0, sizeof data);
    memset(won, 0, sizeof won);
    runs = false;
    explore_shared(&scope, sizeof scope);
    explore_shared(data, sizeof data);
    explore_shared(dropped, sizeof dropped);
}

/* As in steal.c, on one thread. */
static void steal(void)
{
    struct wsfj_stack *own = fresh[explore_self() - 1], *resume;
    struct wsfj_stolen stolen;

    if (wsfj_deque_steal(owner, true, NULL, &stolen) != WSFJ_STEAL_GOT)
        return;
    wsfj_scope_inherit(own, stolen.scope);
    if (wsfj_scope_drops(&stolen)) {
        dropped[stolen.desc - owner->bottom] = true;
        resume = wsfj_join_drop(stolen.desc, stolen.kind);
    } else {
        runs = true;
        stolen.kind->wsfj_exec(&own->deque, own->bottom, stolen.desc, stolen.desc->wsfj_args);
        resume = wsfj_join_finish(stolen.desc, stolen.kind);
    }
    if (resume)
        explore_must(explore_wake(owner), "a parent that does not wait is resumed");
}

static void steal_twice(void)
{
    steal();
    steal();
}

/* A block that begins where the pending task ends. What comes into the scope's memory next looks like a scope around
 * that task. */
static void scope_in_a_block(void)
{
    struct wsfj_frame block = wsfj_frame_at(&owner->deque, wsfj_tail(&owner->deque), 0), *wsfj_f = &block;

    ws_scope_begin(&scope);
    (void)ws_scope_cancel(&scope, 1);
    explore_must(ws_scope_end(&scope) == 1, "the code is lost");
    memset(&scope, 0, sizeof scope);
    scope.wsfj_code = 1;
    scope.wsfj_deque = &owner->deque;
    scope.wsfj_first = owner->bottom;
}

static void no_member(void)
{
    long x = 5;
    EXPLORE_FRAME(owner);

    ws_spawn(owner_task, &x, 0, 10);
    scope_in_a_block();
    ws_sync();
    explore_must(x == 10, "a task that is no member is dropped");
}

static void no_member_after(void)
{
    long x = 5;
    EXPLORE_FRAME(owner);

    scope_in_a_block();
    ws_spawn(owner_task, &x, 0, 10);
    ws_sync();
    explore_must(x == 10, "a task that is no member is dropped");
}

static void two_members(void)
{
    long x = 5, y = 5;
    EXPLORE_FRAME(owner);

    ws_scope_begin(&scope);
    (void)ws_scope_cancel(&scope, 1);
    ws_spawn(owner_task, &x, 0, 10);
    ws_spawn(owner_task, &y, 1, 11);
    engine_pause(); /* time for thieves */
    explore_must(ws_scope_end(&scope) == 1, "the code is lost");
    explore_must(x == (dropped[0] ? 0 : 10) && y == (dropped[1] ? 0 : 11), "a result is wrong");
}

static void check_members(void)
{
    explore_must(!runs, "a thief runs a member");
}

static void cancelled_by_another(void)
{
    long x = 5;
    int code;
    EXPLORE_FRAME(owner);

    ws_scope_begin(&scope);
    store_release(&won[0], 1);
    ws_spawn(owner_task, &x, 0, 10);
    engine_pause();
    code = ws_scope_end(&scope);
    explore_must(x == 10 || (x == 0 && code == 1), "a result is missing without a code");
}

static void cancel_open(void)
{
    while (!load_acquire(&won[0]))
        engine_pause();
    (void)ws_scope_cancel(&scope, 1);
}

static void cancel_with_data(void)
{
    unsigned i = explore_self() - 1;

    data[i] = i + 1;
    won[i] = ws_scope_cancel(&scope, (int)i + 1);
}

static void see_the_data(void)
{
    int code;

    while (!(code = ws_scope_cancelled(&scope)))
        engine_pause();
    explore_must(data[code - 1] == code, "the data of the first code are missing");
}

static void check_winner(void)
{
    explore_must(won[0] + won[1] == 1 && ws_scope_cancelled(&scope) == (won[0] ? 1 : 2), "not the first code");
}

static const struct explore_mutant above[] = {
    {"the begin is relaxed (SCOPE-1)", "wsfj_deque_open_scope", "store", "&own->scope", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the thief's look is relaxed (SCOPE-1)", "scope_of", "load", "&s->scope", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the scope stays after its end (SCOPE-2)", "wsfj_deque_close_scopes", "store", "&own->scope", EXPLORE_SKIP, 0},
    {"the lock does not exclude (SCOPE-2)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant after[] = {
    {"the scope stays after its end (SCOPE-2)", "wsfj_deque_close_scopes", "store", "&own->scope", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant members[] = {
    {"the thief sees no scope", "scope_of", "load", "&s->scope", EXPLORE_VALUE, 0},
    {"a dropped task finishes relaxed (JOIN-1)", "wsfj_join_finish", "exchange", "&desc->wsfj_word", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_mutant others[] = {{"a dropped task finishes relaxed (JOIN-1)", "wsfj_join_finish",
                                                "exchange", "&desc->wsfj_word", EXPLORE_WEAKER, __ATOMIC_RELAXED},
                                               {NULL}};

static const struct explore_mutant first[] = {
    {"the code is set in two steps", "ws_scope_cancel", "cas", "&wsfj_scope->wsfj_code", EXPLORE_SPLIT, 0},
    {"the code is set relaxed", "ws_scope_cancel", "cas", "&wsfj_scope->wsfj_code", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the code is read relaxed", "wsfj_scope_code", "load", "&wsfj_scope->wsfj_code", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_program programs[] = {
    {"a scope above the task", start, {no_member, steal}, owner_check_one, {3, 2}, {6, 4}, above},
    {"a scope above the task, two thieves", start, {no_member, steal, steal}, owner_check_one, {1, 1}, {3, 2}, above},
    {"a scope before the task", start, {no_member_after, steal}, owner_check_one, {2, 1}, {4, 2}, after},
    {"two members", start, {two_members, steal_twice}, check_members, {2, 1}, {4, 2}, members},
    {"cancelled by another thread", start, {cancelled_by_another, steal, cancel_open}, NULL, {1, 1}, {3, 2}, others},
    {"two codes", start, {see_the_data, cancel_with_data, cancel_with_data}, check_winner, {2, 1}, {4, 2}, first},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
