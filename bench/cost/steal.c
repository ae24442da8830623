/* SPDX-License-Identifier: MIT */
/* What two workers cost each other, counted on one thread: the thief's side of a steal on a deque that no thread owns; the
 * owner's answer; a join whose stolen child runs on the same worker. */
#include "cost.h"

#include "base/atomic.h"
#include "queue/global_queue.h"
#include "sched/fresh.h"
#include "sched/steal.h"
#include "task/deque.h"
#include "task/scope.h"
#include "task/stack.h"
#include "worker/awake.h"
#include "worker/worker.h"

#include <stdlib.h>

static WS_TASK_VOID(nothing)
{
}

static const struct wsfj_kind kind = {.wsfj_name = "kind"};
static struct wsfj_stack *victim;

/* A stack with so many tasks. */
static void make_victim(enum wsfj_mode mode, long tasks)
{
    victim = wsfj_stack_make((size_t)64 << 10, mode);
    if (!victim)
        abort();
    for (long i = 0; i < tasks; i++) {
        victim->deque.wsfj_tail->wsfj_word = (uintptr_t)&kind;
        wsfj_publish_tail(&victim->deque, victim->deque.wsfj_tail + 1);
    }
}

static void steal_all(void)
{
    bool force = victim->deque.wsfj_mode == WSFJ_MODE_NORMAL;
    struct wsfj_stolen stolen;

    for (long i = 0; i < times; i++)
        if (wsfj_deque_steal(victim, force, NULL, &stolen) != WSFJ_STEAL_GOT)
            abort();
}

/* Of a task that is public. */
void cost_steals(void)
{
    make_victim(WSFJ_MODE_LOCKED, times);
    cost_measured(steal_all);
}

/* Of a task that its owner has not made public. The system call counts as one instruction. */
void cost_forces(void)
{
    make_victim(WSFJ_MODE_NORMAL, times);
    cost_measured(steal_all);
}

/* The whole search of a thief, in the place of worker 0, which sleeps. */
static void search_all(void)
{
    struct wsfj_worker *thief = &wsfj_workers[0];

    for (long i = 0; i < times; i++) {
        struct wsfj_stack *fresh = wsfj_steal(thief, NULL);

        if (fresh)
            wsfj_pool_give(&thief->cache, fresh);
        if (!fresh == (load_relaxed(&victim->first) > victim->bottom))
            abort();
    }
}

static void search(long tasks)
{
    make_victim(WSFJ_MODE_LOCKED, tasks);
    store_release(&victim->worker, &wsfj_workers[1]);
    store_release(&wsfj_workers[1].stack, victim);
    wsfj_awake_enter(wsfj_workers[1].victims.position);
    cost_measured(search_all);
    store_release(&wsfj_workers[1].stack, NULL);
}

/* It finds a public task. */
void cost_searches(void)
{
    search(times);
}

/* It finds nothing. */
void cost_searches_in_vain(void)
{
    search(0);
}

/* An owner answers a request: makes its child public, and takes it back. */
static WS_TASK_VOID(answer_all)
{
    for (long i = 0; i < times; i++) {
        store_release(&wsfj_self()->wsfj_limit, NULL);
        ws_spawn(nothing);
        ws_sync();
    }
}

void cost_answers(void)
{
    (void)ws_run(answer_all);
}

/* The worker steals from itself: what it gets waits in the global queue. */
static __attribute__((noinline)) void steal_own(struct wsfj_stack *own)
{
    struct wsfj_stack *fresh = wsfj_fresh_stack(load_relaxed(&own->worker));
    struct wsfj_stolen stolen;

    if (!fresh || wsfj_deque_steal(own, false, NULL, &stolen) != WSFJ_STEAL_GOT)
        abort();
    store_relaxed(&fresh->job.stolen, stolen.desc);
    store_relaxed(&fresh->job.kind, stolen.kind);
    store_relaxed(&fresh->job.region, stolen.region);
    if (stolen.scope)
        wsfj_scope_inherit(fresh, stolen.scope);
    store_relaxed(&fresh->job.parent, own);
    wsfj_global_queue_put_fiber(fresh);
}

/* A child is stolen, its parent leaves its stack at the sync, the child runs and resumes the parent. */
static WS_TASK_VOID(join_all)
{
    for (long i = 0; i < times; i++) {
        store_release(&wsfj_self()->wsfj_limit, NULL);
        ws_spawn(nothing);
        steal_own(wsfj_stack_of(wsfj_self()));
        ws_sync();
    }
}

static void join(void *unused)
{
    (void)unused;
    (void)ws_run(join_all);
}

/* On a worker's own thread. */
void cost_joins(void)
{
    (void)ws_group_submit(&outside, join, NULL);
    (void)ws_group_wait(&outside);
}
