/* SPDX-License-Identifier: MIT */
/*
 * Blocking sections under the scheduler's real loop, with real spares and the real list of suspended deques: readers on
 * one slot wait for their own children (BLOCK-1, BLOCK-2). An error shows as a deadlock, or as two threads on one
 * stack.
 */
#include "crew.h"
#include "made.h"
#include "pools.h"

#include "base/atomic.h"
#include "blocking/blocking.h"
#include "task/deque.h"
#include "task/region.h"
#include "task/suspended.h"

#include <string.h>

enum { STACKS = 4 };

static unsigned running, taken;

WS_TASK_VOID(child)
{
    (void)wsfj_f;
    taken++;
    while (explore_wake(&taken))
        ; /* all readers check again */
}

static void await_children(unsigned n)
{
    while (taken < n)
        explore_sleep(&taken);
}

static void finish(void)
{
    if (--running == 0)
        made_stop();
}

/* ws_blocking_begin() and ws_blocking_end() find the stack by the thread, and all threads here are one. These take it
 * as an argument. */
static void begin(struct wsfj_stack *own)
{
    own->blocking.sections = 1;
    wsfj_blocking_again(own);
    explore_must(!own->blocking.lender || load_relaxed(&crew[0].stack) != own, "the stack stays with the slot");
}

static void end(struct wsfj_stack *own)
{
    own->blocking.sections = 0;
    wsfj_blocking_return(own);
}

/* Waits until the children of all readers have run. */
static void read_with_a_child(void *readers)
{
    struct wsfj_stack *own = load_relaxed(&crew[0].stack);
    EXPLORE_FRAME(own);

    ws_spawn(child);
    begin(own);
    await_children((unsigned)(uintptr_t)readers);
    end(own);
    ws_sync();
    finish();
}

/* Spawns in the blocking section. Its deque is listed before the section, or not. */
static void read_and_spawn(void *before)
{
    struct wsfj_stack *own = load_relaxed(&crew[0].stack);
    EXPLORE_FRAME(own);

    if (before)
        ws_spawn(child);
    begin(own);
    if (before)
        await_children(1);
    ws_spawn(child);
    await_children(before ? 2 : 1);
    end(own);
    ws_sync();
    finish();
}

/* Spawns in the blocking section, takes the child back or waits for it, and spawns another child. */
static void read_and_sync(void *arg)
{
    struct wsfj_stack *own = load_relaxed(&crew[0].stack);
    EXPLORE_FRAME(own);

    (void)arg;
    begin(own);
    ws_spawn(child);
    ws_sync();
    ws_spawn(child);
    await_children(2);
    end(own);
    ws_sync();
    finish();
}

static void start(unsigned threads, ws_function *fn, unsigned items, uintptr_t arg)
{
    crew_start(1, 1);
    taken = 0;
    running = items;
    pools_start();
    for (unsigned i = 0; i < STACKS; i++)
        pools_give(0, i);
    wsfj_suspended_forget();
    made_start(threads);
    for (unsigned i = 0; i < items; i++)
        (void)wsfj_run_queue_push(&crew[0].detached.queue, (struct wsfj_item){fn, (void *)arg, NULL});
    made_send(&crew[0]);
}

static void start_two_readers(void)
{
    start(3, read_with_a_child, 2, 2);
}

static void start_reader(void)
{
    start(2, read_with_a_child, 1, explore_choose(2)); /* blocks, or returns at once */
}

static void start_spawner(void)
{
    start(2, read_and_spawn, 1, explore_choose(2));
}

static void start_syncer(void)
{
    start(3, read_and_sync, 1,
          0); /* the thread that a section took over from may not be idle again when the next begins */
}

static void nothing_is_left(void)
{
    explore_must(wsfj_suspended_count() == 0, "a deque that is not suspended is listed");
    explore_must(pools_free() == STACKS, "a stack is lost");
}

/* Operations on the list of suspended deques and on lent slots, left out or ordered more weakly. */
static const struct explore_mutant readers[] = {{"a suspended deque is not listed (BLOCK-2)", "wsfj_suspended_add",
                                                 "store", "&wsfj_suspended_listed", EXPLORE_SKIP, 0},
                                                {"a spare that gets an order is not counted",
                                                 "wsfj_idle_counts_add_searcher", "add", "&wsfj_idle_state",
                                                 EXPLORE_SKIP, 0},
                                                {NULL}};

static const struct explore_mutant orders[] = {
    {"the slot is taken back in two steps (BLOCK-1)", "wsfj_spare_recall", "cas", "&t->order", EXPLORE_SPLIT, 0},
    {"the order is taken in two steps (BLOCK-1)", "await_order", "exchange", "&self->order", EXPLORE_SPLIT, 0},
    {"the order is written relaxed (BLOCK-1)", "give_order", "store", "&t->order", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_mutant spawns[] = {
    {"lending leaves no request (BLOCK-2)", "lend", "store", "&own->deque.wsfj_limit", EXPLORE_SKIP, 0},
    {"thieves leave no request (BLOCK-2)", "lower", "store", "&s->deque.wsfj_limit", EXPLORE_SKIP, 0},
    {"the recheck does not see the list (BLOCK-2)", "wsfj_suspended_count", "load", "&wsfj_suspended_listed",
     EXPLORE_SKIP, 0},
    {"the barrier does nothing (PARK-2)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {"the stack stays with the slot", "lend", "store", "&w->stack", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant syncs[] = {
    {"thieves leave no request (BLOCK-2)", "lower", "store", "&s->deque.wsfj_limit", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a reader with a child", start_reader, {made_thread, made_thread}, nothing_is_left, {1, 0}, {2, 1}, orders},
    {"a spawn in a blocking section", start_spawner, {made_thread, made_thread}, nothing_is_left, {1, 0}, {2, 1}, spawns},
    {"a sync in a blocking section",
     start_syncer,
     {made_thread, made_thread, made_thread},
     nothing_is_left,
     {1, 0},
     {2, 0},
     syncs},
    {"two readers with children on one slot",
     start_two_readers,
     {made_thread, made_thread, made_thread},
     nothing_is_left,
     {1, 0},
     {1, 1},
     readers},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
