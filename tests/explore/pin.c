/* SPDX-License-Identifier: MIT */
/*
 * Pinned fibers (PIN-1) under the scheduler's real loop, with real spares: a pinned task waits for a group and resumes
 * on the thread that it was on, with a slot that no other thread serves. Its thread waits with it meanwhile; the slot
 * is the reserve's, or the thread's behind the guest. An error shows as a race, as two threads on one stack, or as an
 * execution that does not end.
 */
#include "awake.h"
#include "made.h"

#include "api/guest_root.h"
#include "base/atomic.h"
#include "blocking/blocking.h"
#include "idle/park.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "queue/root.h"
#include "sched/load.h"
#include "sched/serve.h"
#include "task/item.h"
#include "task/pool.h"
#include "task/region.h"
#include "worker/own.h"
#include "worker/items.h"
#include "worker/use.h"
#include "worker/worker.h"

#include <string.h>

static ws_group group;
static unsigned done, waits, serving[AWAKE];
static struct wsfj_region region;
static struct wsfj_descriptor root_line;
static struct wsfj_stack *first;

/* One thread at a time runs tasks of a worker. */
static void enter(void)
{
    struct wsfj_worker *w = load_relaxed(&wsfj_own_stack()->worker);

    explore_must(!serving[w->id], "two threads serve a worker");
    serving[w->id] = 1 + explore_self();
}

static void leave(void)
{
    struct wsfj_worker *w = load_relaxed(&wsfj_own_stack()->worker);

    explore_must(serving[w->id] == 1 + explore_self(), "two threads serve a worker");
    serving[w->id] = 0;
}

static void work(void *arg)
{
    (void)arg;
    enter();
    done++;
    leave();
}

/* A task that keeps its thread, and waits. */
static void wait_pinned(void)
{
    unsigned thread = explore_self();

    enter();
    explore_must(ws_pin() == 0 && ws_pin() == 0, "no spare");
    for (unsigned i = 1; i <= waits; i++) {
        leave();
        explore_must(ws_group_wait(&group) == 0, "a lone waiter is refused");
        explore_must(explore_self() == thread, "a pinned fiber resumes on another thread");
        enter();
        explore_must(done == i, "the waiter goes on before a task has ended");
        if (i == 1)
            ws_unpin(); /* one pin is left */
        if (i < waits)
            explore_must(ws_group_submit(&group, work, NULL) == 0, "a submit fails");
    }
    ws_unpin();
    leave();
}

static void pinned(void *arg)
{
    (void)arg;
    wait_pinned();
    made_stop();
}

/* A task that keeps its thread, lends its slot, and waits. It is pinned before the blocking section, or in it. */
static void block_pinned(void *before)
{
    unsigned thread = explore_self();

    enter();
    if (before)
        explore_must(ws_pin() == 0, "no spare");
    leave();
    ws_blocking_begin();
    if (!before)
        explore_must(ws_pin() == 0, "no spare");
    engine_pause();
    ws_blocking_end();
    explore_must(explore_self() == thread, "a pinned fiber resumes on another thread");
    explore_must(ws_group_submit(&group, work, NULL) == 0, "a submit fails");
    explore_must(ws_group_wait(&group) == 0, "a lone waiter is refused");
    explore_must(explore_self() == thread, "a pinned fiber resumes on another thread");
    enter();
    ws_unpin();
    leave();
    made_stop();
}

WS_TASK_VOID(root)
{
    (void)wsfj_f;
    wait_pinned();
}

size_t wsfj_roots; /* none waits */

void wsfj_root_finish(struct wsfj_region *finished, enum wsfj_region_state state)
{
    store_release(&finished->state, state);
}

static void push(unsigned worker, ws_function *fn, ws_group *of)
{
    (void)wsfj_run_queue_push(&awake[worker].detached.queue, (struct wsfj_item){fn, NULL, of});
}

static void start(unsigned workers, unsigned threads)
{
    awake_start(workers);
    explore_thread_local(&wsfj_tls);
    explore_shared_stacks();
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE), "no memory");
    wsfj_load_start();
    wsfj_items_start();
    ws_group_init(&group);
    wsfj_group_add(&group);
    memset(serving, 0, sizeof serving);
    done = 0;
    waits = 1;
    explore_shared(&done, sizeof done);
    pools_give(0, 0);
    pools_give(0, 1);
    made_start(threads);
}

/* One slot: the reserve runs the task for which the fiber waits. */
static void start_one(void)
{
    start(1, 2);
    waits = 2;
    push(0, pinned, NULL);
    push(0, work, &group);
    made_send(&awake[0]);
}

/* Two slots: the task may end before the fiber waits, or before its thread has given its slot away. */
static void start_two(void)
{
    start(2, 3);
    pools_give(1, 2);
    push(0, pinned, NULL);
    push(1, work, &group);
    made_send(&awake[0]);
    made_send(&awake[1]);
}

/* The spare that gets the slot has a task to run. */
static void start_blocking(void)
{
    bool before = explore_choose(2);

    start(1, 3);
    (void)wsfj_run_queue_push(&awake[0].detached.queue, (struct wsfj_item){block_pinned, before ? &done : NULL, NULL});
    push(0, work, &group);
    made_send(&awake[0]);
}

static void start_guest(unsigned workers)
{
    struct wsfj_call_how how;

    start(workers, 0);
    memset(&region, 0, sizeof region);
    region.root = &root_line;
    region.state = WSFJ_REGION_RUNS;
    explore_shared(&region, sizeof region);
    first = wsfj_pool_take(&awake[0].cache);
    first->job.region = &region;
    (void)wsfj_spawn_of_root(&first->deque, &root_line, &how);
    awake[0].park = WSFJ_PARK_GUEST;
}

/* Behind the guest, the worker's own thread has the task for which the guest's fiber waits. */
static void start_guest_one(void)
{
    start_guest(1);
    waits = 2;
    push(0, work, &group);
}

/* Another worker has it. */
static void start_guest_two(void)
{
    start_guest(2);
    pools_give(1, 2);
    push(1, work, &group);
}

/* As ws_run(). */
static void guest(void)
{
    if (wsfj_guest_root_run(&awake[0], first) != WSFJ_SERVED_DONE) {
        while (load_acquire(&region.state) == WSFJ_REGION_RUNS)
            engine_pause();
    }
    explore_must(done == waits, "the region ends before its task");
    wsfj_park_stop();
}

/* The worker's own thread, which sleeps behind the guest at first. */
static void behind(void)
{
    wsfj_park_sleep_on(&awake[0]);
    (void)wsfj_serve(&awake[0], &awake_threads[0]);
}

static void other(void)
{
    (void)wsfj_serve(&awake[1], &awake_threads[1]);
}

static const struct explore_mutant orders[] = {
    {"the slot is handed over relaxed (PIN-1)", "wsfj_pin_hand_over", "store", "&to->has_slot", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the slot is taken relaxed (PIN-1)", "await_slot", "load", "&self->has_slot", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"an earlier hand-over counts (PIN-1)", "expect_slot", "store", "&self->has_slot", EXPLORE_SKIP, 0},
    {"the hand-over wakes nobody (PIN-1)", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {"the order is written relaxed (BLOCK-1)", "give_order", "store", "&t->order", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the order is taken without an acquire (BLOCK-1)", "await_order", "exchange", "&self->order", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the order is written after it is counted (BLOCK-1)", "give_order", "store", "&t->order", EXPLORE_LATE, 1},
    {"an order is not counted (BLOCK-1)", "give_order", "add", "&t->calls", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant slots[] = {
    {"the slot is handed over relaxed (PIN-1)", "wsfj_pin_hand_over", "store", "&to->has_slot", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the fiber expects a slot late (PIN-1)", "expect_slot", "store", "&self->has_slot", EXPLORE_LATE, 10},
    {"the slot is taken relaxed (PIN-1)", "await_slot", "load", "&self->has_slot", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_mutant sections[] = {
    {"the slot is handed over relaxed (PIN-1)", "wsfj_pin_hand_over", "store", "&to->has_slot", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the lender does not notice that its slot is lent", "run", "load", "&self->lent", EXPLORE_VALUE, 0},
    {NULL}};

static const struct explore_mutant guests[] = {
    {"the slot is handed over relaxed (PIN-1)", "wsfj_pin_hand_over", "store", "&to->has_slot", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"GUEST is written after the hand-over (PIN-1)", "wsfj_pin_hand_over", "store", "&self->worker->park", EXPLORE_LATE,
     2},
    {"GUEST is not written (PIN-1)", "wsfj_pin_hand_over", "store", "&self->worker->park", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"two waits, one slot", start_one, {made_thread, made_thread}, NULL, {1, 1}, {3, 1}, orders},
    {"a wait, two slots", start_two, {made_thread, made_thread, made_thread}, NULL, {1, 0}, {2, 0}, slots},
    {"a blocking section", start_blocking, {made_thread, made_thread, made_thread}, NULL, {1, 0}, {2, 0}, sections},
    {"a guest waits, one slot", start_guest_one, {guest, behind}, NULL, {1, 1}, {3, 1}, guests},
    {"a guest waits, two slots", start_guest_two, {guest, behind, other}, NULL, {1, 0}, {2, 0}, guests},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
