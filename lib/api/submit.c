/* SPDX-License-Identifier: MIT */
/*
 * ws_submit() and its relatives: where a detached task goes, and what a submitter does when there is no room.
 * Neighbours: run_queue.c and global_queue.c, where the task waits; dispatch.c, which takes it from there; group.c.
 */
#include "api/serial.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "blocking/blocking.h"
#include "core/dispatch.h"
#include "core/fiber.h"
#include "core/preempt.h"
#include "core/scope.h"
#include "core/team.h"
#include "core/use.h"
#include "core/worker.h"
#include "idle/park.h"
#include "idle/poll.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "task/pool.h"
#include "task/region.h"
#include "task/stack.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

/* After this many failures in a row to get a stack for a waiting task, the shortage counts as real. */
#define NO_STACK_MOST 64
/* A waiter that must keep its stack and has nothing to do on it checks its group this often. */
#define NO_STACK_NAP_NS 1000000

static struct wsfj_stack *queue_fiber(struct wsfj_stack *s)
{
    wsfj_global_queue_put_fiber(s);
    wsfj_preempt_queued(NULL);
    return NULL;
}

/* Calls a task on the stack of a task that waits. The called task begins outside the waiter's blocking sections and
 * scopes, and leaves the waiter's pins as they are. */
static void call_on(struct wsfj_stack *own, struct wsfj_item item)
{
    unsigned sections = own->blocking.sections, pins = own->pin.count;
    ws_scope border;

    own->blocking.sections = 0;
    wsfj_scope_border_begin(&own->deque, &border);
    wsfj_dispatch_call(item);
    wsfj_scope_border_end(&own->deque, &border);
    own->blocking.sections = 0;
    wsfj_blocking_return(own); /* takes a slot again if the called task has left a blocking section open */
    own->blocking.sections = sections;
    while (own->pin.count > pins)
        ws_unpin();
}

/* No stack is to be had for the tasks in the queues: calls one of them here. False if there is none. */
static bool help(struct wsfj_stack *own)
{
    struct wsfj_item item;
    struct wsfj_stack *resume;

    if (!wsfj_dispatch_item(load_relaxed(&own->worker), &item))
        return false;
    wsfj_preempt_queued(load_relaxed(&own->worker)); /* the items that came along are in the worker's run queue */
    call_on(own, item);
    wsfj_dispatch_finished(load_relaxed(&own->worker));
    resume = wsfj_group_finish(item.group);
    if (resume)
        (void)queue_fiber(resume);
    return true;
}

/* Lets other tasks run; true if none did. */
static bool let_others_run(struct wsfj_stack *own)
{
    wsfj_fiber_yield(own, queue_fiber);
    return own->wait.alone;
}

/* True if a waiting task gets no stack: all stacks may belong to tasks like this one, which wait for that task. A task
 * that is called here may yield, too: half of the stack is kept for that. */
static bool is_wanted(const struct wsfj_stack *own)
{
    return load_relaxed(&load_relaxed(&own->worker)->no_stack) >= NO_STACK_MOST &&
           (size_t)((const char *)__builtin_frame_address(0) - own->memory.low) > own->memory.size / 2;
}

static void yield(struct wsfj_stack *own)
{
    bool alone = let_others_run(own);

    if (is_wanted(own) && help(own))
        wsfj_fpenv_set(load_relaxed(&own->job.region)->fpenv);
    else if (alone)
        sched_yield(); /* there is no other task: lets other threads have the processor */
}

WSFJ_EXPORT void ws_yield(void)
{
    struct wsfj_stack *own = wsfj_fiber_served();

    if (own)
        yield(own);
    else
        sched_yield();
}

/* No worker has a thread: calls the task, with a deque for its spawns. Without memory for the deque refuses the task,
 * because a spawn could not run. */
static int call(struct wsfj_item item)
{
    struct wsfj_deque *inside = wsfj_self(); /* the caller is a task that runs serially, and has a deque */
    struct wsfj_deque *deque = inside ? inside : wsfj_serial_try_enter();
    ws_scope border;

    if (!deque)
        return ENOMEM;
    wsfj_scope_border_begin(deque, &border);
    item.fn(item.arg);
    wsfj_scope_border_end(deque, &border);
    if (!inside)
        wsfj_serial_leave(deque);
    return 0;
}

/* Half of the full run queue goes to the global queue. False if that is full, too. */
static bool overflow(struct wsfj_worker *w)
{
    unsigned moved;

    if (!wsfj_global_queue_overflow(&w->detached.queue, &moved))
        return false;
    if (moved)
        WSFJ_EVENT(w, overflow, 0, moved, 0, 0);
    return true;
}

static bool is_full(const struct wsfj_worker *w)
{
    return wsfj_run_queue_length(&w->detached.queue) == WSFJ_RUN_QUEUE_SIZE;
}

/* Makes room in the run queue of the worker that serves the task, perhaps another one after a yield. Returns that worker;
 * NULL: there is no room, and the task must not wait. */
static WSFJ_COLD struct wsfj_worker *make_room(struct wsfj_stack *own, bool wait)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    while (is_full(w) && !overflow(w)) {
        if (!wait)
            return NULL;
        yield(own);
        w = load_relaxed(&own->worker);
    }
    return w;
}

static int submit_inside(struct wsfj_stack *own, const struct wsfj_item *item, bool wait)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    if (WSFJ_UNLIKELY(is_full(w)) && !(w = make_room(own, wait)))
        return EAGAIN;
    if (item->group)
        wsfj_group_add(item->group);
    count_release(&w->detached.submitted);
    wsfj_run_queue_put_next(&w->detached.queue, item); /* there is room: only this worker fills the queue */
    wsfj_preempt_queued(w);
    return 0;
}

static int put_common(struct wsfj_item item, bool wait)
{
    if (item.group)
        wsfj_group_add(item.group);
    if (!wsfj_global_queue_put(item, wait)) {
        struct wsfj_stack *resume = wsfj_group_finish(item.group);

        if (resume)
            (void)queue_fiber(resume);
        return EAGAIN;
    }
    wsfj_dispatch_count_foreign();
    wsfj_preempt_queued(NULL);
    return 0;
}

/* As a foreign thread does; but a worker must not wait for room that only workers make. */
static int submit_commonly(struct wsfj_stack *own, struct wsfj_item item, bool wait)
{
    int error;

    while ((error = put_common(item, false)) && wait)
        yield(own);
    return error;
}

static int submit_outside(struct wsfj_item item, bool wait)
{
    struct wsfj_use use;
    int error = wsfj_use_begin(&use);

    if (error)
        return error;
    error = wsfj_team_has_threads() ? put_common(item, wait) : call(item);
    wsfj_use_end(&use);
    return error;
}

/* In ws_config.poll: on a worker's thread, which must not wait for what workers do. */
static int submit_polled(struct wsfj_item item)
{
    int error;

    if (!wsfj_use_try_enter())
        return EAGAIN; /* the runtime is being stopped */
    error = wsfj_team_has_threads() ? put_common(item, false) : call(item);
    wsfj_use_leave();
    return error;
}

/* Not from a task that a worker serves. */
static WSFJ_COLD int submit_from_elsewhere(const struct wsfj_item *item, bool wait)
{
    return wsfj_poll_inside() ? submit_polled(*item) : submit_outside(*item, wait);
}

/* The task comes in three arguments, which stay in registers. */
static int submit(ws_group *group, ws_function *fn, void *arg, bool wait)
{
    const struct wsfj_item item = {fn, arg, group};
    struct wsfj_stack *own;

    if (!fn)
        return EINVAL;
    own = wsfj_fiber_served();
    if (!own)
        return submit_from_elsewhere(&item, wait);
    return wsfj_policy.submit_common ? submit_commonly(own, item, wait) : submit_inside(own, &item, wait);
}

WSFJ_EXPORT int ws_submit(ws_function *fn, void *arg)
{
    return submit(NULL, fn, arg, true);
}

WSFJ_EXPORT int ws_try_submit(ws_function *fn, void *arg)
{
    return submit(NULL, fn, arg, false);
}

WSFJ_EXPORT int ws_group_submit(ws_group *group, ws_function *fn, void *arg)
{
    return submit(group, fn, arg, true);
}

WSFJ_EXPORT int ws_group_try_submit(ws_group *group, ws_function *fn, void *arg)
{
    return submit(group, fn, arg, false);
}

/* True if another stack could be had now. In the scheduler's loop only. */
static bool stack_to_spare(struct wsfj_cache *cache)
{
    struct wsfj_stack *s = wsfj_pool_take(cache);

    if (s)
        wsfj_pool_give(cache, s);
    return s != NULL;
}

static struct wsfj_stack *wait_after_switch(struct wsfj_stack *own)
{
    bool spare = stack_to_spare(&load_relaxed(&own->worker)->cache);

    /* GROUP-3: registers the waiter. If all stacks are in use, the waiter must not leave its own stack idle, even if the group
     * is done at this moment: a task of the group may come later, from a foreign thread, and need a stack. */
    store_relaxed(&own->wait.must_help, !spare);
    return spare ? wsfj_group_left(own) : own;
}

static int wait_inside(struct wsfj_stack *own, ws_group *group)
{
    if (wsfj_group_done(group))
        return 0;
    if (!wsfj_group_claim(group, own))
        return EBUSY;
    wsfj_blocking_return(own);
    for (;;) {
        struct wsfj_worker *w = load_relaxed(&own->worker);

        WSFJ_EVENT(w, wait, 0, load_relaxed(&own->number), 0, 0);
        store_relaxed(&own->wait.group, group); /* each time: a task that help() called may have waited, too */
        wsfj_stack_lives(own, WSFJ_LIFE_GROUP);
        wsfj_fiber_leave(own, wait_after_switch);
        if (!load_relaxed(&own->wait.must_help))
            break;
        if (wsfj_group_unclaim(group)) {
            store_relaxed(&own->wait.must_help, false);
            break;
        }
        if (!help(own) && let_others_run(own))
            nanosleep(&(struct timespec){0, NO_STACK_NAP_NS}, NULL);
    }
    WSFJ_TSAN_ACQUIRE(&own->worker); /* what all tasks of the group did */
    wsfj_blocking_again(own);
    return 0;
}

WSFJ_EXPORT int ws_group_wait(ws_group *group)
{
    struct wsfj_stack *own = wsfj_fiber_own();

    if (own)
        return wait_inside(own, group);
    return wsfj_poll_inside() ? EDEADLK : wsfj_group_wait_outside(group);
}
