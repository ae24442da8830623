/* SPDX-License-Identifier: MIT */
/* The counts of one worker's detached tasks (items.h), inlined where they change. */
#ifndef WSFJ_WORKER_ITEMS_COUNT_H
#define WSFJ_WORKER_ITEMS_COUNT_H

#include "base/atomic.h"
#include "worker/worker.h"

/*
 * Where one task follows another, `log.followed` counts the end of the one and the begin and the dispatch of the other in one
 * step. The numbers of tasks and of dispatches are sums, therefore.
 */

/* How many detached tasks have ended on the worker. Others may look. Acquire: what these tasks did; and what the caller reads
 * next is not older (wsfj_items). */
static inline uint64_t wsfj_items_ended(const struct wsfj_worker *worker)
{
    return load_acquire(&worker->detached.finished) + load_acquire(&worker->log.followed);
}

/* How many dispatches there have been. Others may look. */
static inline uint64_t wsfj_items_dispatches(const struct wsfj_worker *worker)
{
    return load_relaxed(&worker->dispatch.count) + load_relaxed(&worker->log.followed);
}

/* Counts a dispatch that log.followed does not count. check_at goes by log.followed, so it falls by one. */
static inline void wsfj_items_dispatched(struct wsfj_worker *worker)
{
    count_one(&worker->dispatch.count);
    worker->dispatch.check_at--;
}

/* A detached task is done, and no other follows. Called before its group is told, so that ws_fini() may follow
 * ws_group_wait(). */
static inline void wsfj_items_finished(struct wsfj_worker *worker)
{
    count_release(&worker->detached.finished);
}

#endif
