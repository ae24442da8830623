/* SPDX-License-Identifier: MIT */
/* ws_group_wait() and ws_yield(): if all stacks are in use, a waiting task calls another one on its own. */
#include "api/wait.h"

#include "base/atomic.h"
#include "base/tsan.h"
#include "blocking/blocking.h"
#include "idle/queued.h"
#include "idle/resume.h"
#include "idle/waiting.h"
#include "queue/group.h"
#include "queue/root.h"
#include "sched/dispatch.h"
#include "sched/leave.h"
#include "sched/load.h"
#include "task/border.h"
#include "task/deque.h"
#include "task/pool.h"
#include "task/region.h"
#include "task/stack.h"
#include "wait/table.h"
#include "worker/between_tasks.h"
#include "worker/items_count.h"
#include "worker/own.h"
#include "worker/worker.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

/* So many times in a row there was no stack for a task: the pool stays empty, so a waiter runs the task on its own stack. A
 * single failure says little, because another task may end in a moment. */
#define NO_STACK_MOST 64
/* A waiter that must keep its stack and has nothing to do on it checks its group this often. */
#define NO_STACK_NAP_NS 1000000

/* Calls a task on the stack of a task that waits, and gives that one its group back. The called task begins outside the
 * waiter's blocking sections, scopes and exceptions, and leaves the waiter's pins as they are. */
static void call_on(struct wsfj_stack *own, struct wsfj_item item)
{
    unsigned sections = own->blocking.sections, pins = own->pin.count;
    ws_group *group = load_relaxed(&own->job.item.group);
    struct wsfj_border border;

    own->blocking.sections = 0;
    store_relaxed(&own->job.item.group, item.group);
    wsfj_border_begin(&own->deque, &border, item.group);
    if (!wsfj_group_drops(item.group))
        wsfj_load_call(item);
    wsfj_border_end(&own->deque, &border);
    own->blocking.sections = 0;
    wsfj_blocking_return(own); /* takes a slot again if the called task has left a blocking section open */
    own->blocking.sections = sections;
    store_relaxed(&own->job.item.group, group);
    while (own->pin.count > pins)
        ws_unpin();
}

/* No stack is to be had for the tasks in the queues: calls one of them here. False if there is none. */
static bool help(struct wsfj_stack *own)
{
    struct wsfj_item item;

    if (!wsfj_dispatch_item(load_relaxed(&own->worker), &item))
        return false;
    if (wsfj_item_fiber(item)) {
        wsfj_resume_last(wsfj_item_fiber(item), load_relaxed(&own->worker)); /* runs when the caller yields */
        return false;
    }
    wsfj_queued(load_relaxed(&own->worker)); /* the items that came along are in the worker's run queue */
    wsfj_item_acquire(&item);
    call_on(own, item);
    wsfj_fpenv_set(load_relaxed(&own->job.region)->fpenv);
    wsfj_group_release(item.group);
    wsfj_items_finished(load_relaxed(&own->worker));
    wsfj_resume_all(wsfj_group_finish(item.group, 1));
    return true;
}

static struct wsfj_stack *put_last(struct wsfj_stack *s)
{
    wsfj_resume_last(s, NULL);
    return NULL;
}

/* Lets other tasks run; true if none did. */
static bool let_others_run(struct wsfj_stack *own)
{
    wsfj_leave_yield(own, put_last);
    return own->wait.alone;
}

/* True if a waiting task gets no stack: all stacks may belong to tasks like this one, which wait for that task. A task
 * that is called here may yield, too: half of the stack is kept for that. */
static bool is_wanted(const struct wsfj_stack *own)
{
    return load_relaxed(&load_relaxed(&own->worker)->no_stack) >= NO_STACK_MOST &&
           (size_t)((const char *)__builtin_frame_address(0) - own->memory.low) > own->memory.size / 2;
}

void wsfj_wait_yield(struct wsfj_stack *own)
{
    bool alone = let_others_run(own);

    if (!(is_wanted(own) && help(own)) && alone)
        sched_yield(); /* there is no other task: lets other threads have the processor */
}

WSFJ_EXPORT void ws_yield(void)
{
    struct wsfj_stack *own = wsfj_own_served();

    if (own)
        wsfj_wait_yield(own);
    else
        sched_yield();
}

WSFJ_EXPORT int ws_others_wait(void)
{
    struct wsfj_stack *own = wsfj_own_served();

    return own && (wsfj_deque_has_work(own) || wsfj_root_pending() || wsfj_waiting_any());
}

/* True if another stack could be had now. In the scheduler's loop only. */
static bool has_stack_left(struct wsfj_cache *cache)
{
    struct wsfj_stack *s = wsfj_pool_take(cache);

    if (s)
        wsfj_pool_give(cache, s);
    return s != NULL;
}

/* GROUP-3: queues the waiter. If all stacks are in use, it must not leave its own stack idle, even if the group is done at
 * this moment: a task of the group may come later, from a foreign thread, and need a stack. */
static bool wait_unless_wanted(struct wsfj_stack *own, void *waiter)
{
    bool enough = has_stack_left(&load_relaxed(&own->worker)->cache);

    store_relaxed(&own->wait.must_help, !enough);
    return enough && wsfj_waiter_arm(waiter);
}

static void wait_inside(struct wsfj_stack *own, ws_group *group)
{
    wsfj_blocking_return(own);
    do {
        struct wsfj_node node = wsfj_group_node(group);
        struct wsfj_waiter waiter = {.stack = own, .state = WSFJ_WAIT_ARMING, .nodes = &node, .timer.at = WSFJ_FOREVER};

        /* Each time: a task that help() called may have waited, too. */
        wsfj_wait_show(own, &waiter, WSFJ_WAIT_GROUP, group);
        wsfj_suspend(own, wait_unless_wanted, &waiter);
        if (load_relaxed(&own->wait.must_help) && !wsfj_group_done(group) && !help(own) && let_others_run(own))
            nanosleep(&(struct timespec){0, NO_STACK_NAP_NS}, NULL);
    } while (!wsfj_group_done(group));
    store_relaxed(&own->wait.must_help, false);
    wsfj_blocking_again(own);
}

WSFJ_EXPORT int ws_group_wait(ws_group *group)
{
    struct wsfj_stack *own = wsfj_own_stack();

    if (!own && wsfj_between_tasks())
        return EDEADLK;
    if (!wsfj_group_done(group)) {
        if (own && load_relaxed(&own->job.item.group) == group)
            return EDEADLK; /* the group counts this task until it ends */
        if (own)
            wait_inside(own, group);
        else
            wsfj_group_wait_outside(group);
    }
    wsfj_tsan_acquire(&group->wsfj_state); /* what all tasks of the group did */
    return wsfj_scope_code(&group->wsfj_scope);
}
