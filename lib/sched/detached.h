/* SPDX-License-Identifier: MIT */
/*
 * Runs detached tasks, one after the other, on one stack. The switch to the scheduler's loop, the loop's round and the
 * switch back would take longer than a short task. Neighbours: dispatch.c, where the tasks come from; fiber.c, what
 * runs on a stack.
 */
#ifndef WSFJ_SCHED_DETACHED_H
#define WSFJ_SCHED_DETACHED_H

#include "base/atomic.h"
#include "worker/worker.h"

struct wsfj_stack;

/* Runs the task that was put on the stack. Then the next ones of the worker's own queue, until there is none, the end of
 * one resumes a fiber, or the scheduler's loop has other things to see to. Returns the fiber to resume, or NULL. On the
 * stack itself. */
struct wsfj_stack *wsfj_detached_run(struct wsfj_stack *own);

/*
 * Where one task follows another, `log.followed` counts the end of the one and the begin and the dispatch of the other in one
 * step. The numbers of tasks and of dispatches are sums, therefore.
 */

/* How many detached tasks have ended on the worker. Others may look. Acquire: what these tasks did; and what the caller reads
 * next is not older (wsfj_dispatch_tally). */
static inline uint64_t wsfj_detached_ended(const struct wsfj_worker *worker)
{
    return load_acquire(&worker->detached.finished) + load_acquire(&worker->log.followed);
}

/* How many dispatches there have been. Others may look. */
static inline uint64_t wsfj_detached_dispatches(const struct wsfj_worker *worker)
{
    return load_relaxed(&worker->dispatch.count) + load_relaxed(&worker->log.followed);
}

/* Counts a dispatch that log.followed does not count. check_at goes by log.followed, so it falls by one. */
static inline void wsfj_detached_dispatched(struct wsfj_worker *worker)
{
    count_one(&worker->dispatch.count);
    worker->dispatch.check_at--;
}

/* A detached task is done, and no other follows. Called before its group is told, so that ws_fini() may follow ws_group_wait(). */
static inline void wsfj_detached_finished(struct wsfj_worker *worker)
{
    count_release(&worker->detached.finished);
}

#endif
