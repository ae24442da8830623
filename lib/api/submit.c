/* SPDX-License-Identifier: MIT */
/*
 * ws_submit() and its relatives: where a detached task goes, and what a submitter does when there is no room.
 * Neighbours: run_queue.c and global_queue.c, where the task waits; dispatch.c, which takes it from there; group_wait.c.
 */
#include "api/serial.h"
#include "api/wait.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "base/tsan.h"
#include "idle/queued.h"
#include "idle/resume.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "sched/team.h"
#include "task/border.h"
#include "task/stack.h"
#include "worker/between_tasks.h"
#include "worker/items.h"
#include "worker/own_inline.h"
#include "worker/use.h"
#include "worker/worker.h"

#include <errno.h>

/* No worker has a thread: calls the task, with a deque for its spawns. Without memory for the deque refuses the task,
 * because a spawn could not run. */
static int call(struct wsfj_item item)
{
    struct wsfj_deque *inside = wsfj_self(); /* the caller is a task that runs serially, and has a deque */
    struct wsfj_deque *deque = inside ? inside : wsfj_serial_try_begin();
    struct wsfj_border border;

    if (!deque)
        return ENOMEM;
    wsfj_border_begin(deque, &border, item.group);
    if (!wsfj_group_drops(item.group))
        item.fn(item.arg);
    wsfj_border_end(deque, &border);
    if (!inside)
        wsfj_serial_end(deque);
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

/* Makes room in the run queue of the worker that serves the task, perhaps another one after a yield. Returns that worker;
 * NULL: there is no room, and the task must not wait. */
static struct wsfj_worker *make_room(struct wsfj_stack *own, bool wait)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    while (wsfj_run_queue_is_full(&w->detached.queue) && !overflow(w)) {
        if (!wait)
            return NULL;
        wsfj_wait_yield(own);
        w = load_relaxed(&own->worker);
    }
    return w;
}

/* Not inlined: the submit calls it last, if at all, and so needs no frame. */
static __attribute__((noinline)) int make_known(struct wsfj_worker *w)
{
    wsfj_queued(w);
    return 0;
}

/* There is room: only this worker fills its queue. */
static inline __attribute__((always_inline)) int put(struct wsfj_worker *w, ws_function *fn, void *arg, ws_group *group)
{
    if (group)
        wsfj_group_add(group);
    count_release(&w->detached.submitted);
    wsfj_run_queue_put_next(&w->detached.queue, fn, arg, group);
    return wsfj_queued_must_tell() ? make_known(w) : 0;
}

/* The queue may be full, or ThreadSanitizer watches. */
static WSFJ_COLD int submit_slowly(struct wsfj_stack *own, ws_function *fn, void *arg, ws_group *group, bool wait)
{
    struct wsfj_worker *w = make_room(own, wait);

    if (wsfj_tsan_watches())
        wsfj_item_release(&(struct wsfj_item){fn, arg, group});
    return w ? put(w, fn, arg, group) : EAGAIN;
}

static inline __attribute__((always_inline)) int submit_inside(struct wsfj_stack *own, ws_function *fn, void *arg,
                                                               ws_group *group, bool wait)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    if (WSFJ_UNLIKELY(wsfj_run_queue_is_full(&w->detached.queue)) || wsfj_tsan_watches())
        return submit_slowly(own, fn, arg, group, wait);
    return put(w, fn, arg, group);
}

static int put_common(struct wsfj_item item, bool wait)
{
    if (wsfj_tsan_watches())
        wsfj_item_release(&item);
    if (item.group)
        wsfj_group_add(item.group);
    if (!wsfj_global_queue_put(item, wait)) {
        wsfj_resume_all(wsfj_group_finish(item.group, 1));
        return EAGAIN;
    }
    wsfj_items_foreign();
    wsfj_queued(NULL);
    return 0;
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

/* On a thread of the runtime outside tasks. */
static int submit_without_waiting(struct wsfj_item item)
{
    int error;

    if (!wsfj_use_try_enter())
        return wsfj_use_is_up() ? EAGAIN : EDEADLK; /* the runtime may be about to stop, or stops */
    error = wsfj_team_has_threads() ? put_common(item, false) : call(item);
    wsfj_use_leave();
    return error;
}

/* Not from a task that a worker serves. */
static WSFJ_COLD int submit_from_elsewhere(ws_function *fn, void *arg, ws_group *group, bool wait)
{
    const struct wsfj_item item = {fn, arg, group};

    return wsfj_between_tasks() ? submit_without_waiting(item) : submit_outside(item, wait);
}

/* The task travels in registers. Inlined in each function: `wait` and, in two of them, `group` are constants. */
static inline __attribute__((always_inline)) int submit(ws_group *group, ws_function *fn, void *arg, bool wait)
{
    struct wsfj_stack *own;

    if (!fn)
        return EINVAL;
    own = wsfj_own_served_inline();
    if (WSFJ_UNLIKELY(!own))
        return submit_from_elsewhere(fn, arg, group, wait);
    return submit_inside(own, fn, arg, group, wait);
}

WSFJ_EXPORT int WSFJ_POLICY_FUNCTION(ws_submit)(ws_function *fn, void *arg)
{
    return submit(NULL, fn, arg, true);
}

WSFJ_EXPORT int WSFJ_POLICY_FUNCTION(ws_try_submit)(ws_function *fn, void *arg)
{
    return submit(NULL, fn, arg, false);
}

WSFJ_EXPORT int WSFJ_POLICY_FUNCTION(ws_group_submit)(ws_group *group, ws_function *fn, void *arg)
{
    return submit(group, fn, arg, true);
}

WSFJ_EXPORT int WSFJ_POLICY_FUNCTION(ws_group_try_submit)(ws_group *group, ws_function *fn, void *arg)
{
    return submit(group, fn, arg, false);
}
