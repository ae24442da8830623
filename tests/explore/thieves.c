/* SPDX-License-Identifier: MIT */
/*
 * In place of lib/sched/steal.c, for programs with crew.h: a thief forces what it finds in the deques of the other
 * workers, in the list of suspended deques and in the other workers' queues. It leaves no request: the recheck must make it.
 */
#include "crew.h"

#include "base/atomic.h"
#include "sched/load.h"
#include "sched/steal.h"
#include "task/deque.h"
#include "task/item.h"
#include "task/pool.h"
#include "task/suspended.h"
#include "worker/workers.h"

static bool steal(struct wsfj_stack *victim, struct wsfj_stack *fresh)
{
    struct wsfj_stolen stolen;
    enum wsfj_steal got = victim ? wsfj_deque_steal(victim, true, NULL, &stolen) : WSFJ_STEAL_EMPTY;

    if (got == WSFJ_STEAL_BUSY)
        engine_pause(); /* a search takes time: the thread that has the lock goes on meanwhile */
    if (got != WSFJ_STEAL_GOT)
        return false;
    store_relaxed(&fresh->job.stolen, stolen.desc);
    store_relaxed(&fresh->job.kind, stolen.kind);
    store_relaxed(&fresh->job.region, stolen.region);
    return true;
}

static bool steal_item(struct wsfj_worker *w, struct wsfj_run_queue *victim, struct wsfj_stack *fresh)
{
    struct wsfj_item item;

    if (!wsfj_run_queue_steal(victim, &w->detached.queue, &item))
        return false;
    wsfj_load_item(fresh, item);
    return true;
}

struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct wsfj_stack *fresh = wsfj_pool_take(&w->cache);
    bool got = false;

    (void)only;
    if (!fresh)
        return NULL;
    for (unsigned i = 0; i < wsfj_num_workers && !got; i++)
        got = i != w->id && steal(load_acquire(&crew[i].stack), fresh);
    for (size_t n = wsfj_suspended_count(); n && !got; n--)
        got = steal(wsfj_suspended_next(), fresh);
    for (unsigned i = 0; i < wsfj_num_workers && !got; i++)
        got = i != w->id && steal_item(w, &crew[i].detached.queue, fresh);
    if (got)
        return fresh;
    wsfj_pool_give(&w->cache, fresh);
    return NULL;
}
