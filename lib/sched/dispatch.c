/* SPDX-License-Identifier: MIT */
#include "sched/dispatch.h"

#include "base/atomic.h"
#include "base/policy.h"
#include "idle/queued.h"
#include "idle/waiting.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "sched/fresh.h"
#include "sched/load.h"
#include "sched/steal.h"
#include "task/deque.h"
#include "task/region.h"
#include "task/stack.h"
#include "worker/awake.h"
#include "worker/items_count.h"
#include "worker/worker.h"
#include "worker/workers.h"

bool wsfj_dispatch_own_item(struct wsfj_worker *w, struct wsfj_item *item)
{
    struct wsfj_run_queue *queue = &w->detached.queue;
    unsigned in_a_row = load_relaxed(&w->dispatch.next_in_a_row);

    if (in_a_row < wsfj_policy.next_in_a_row && wsfj_run_queue_has_next(queue)) {
        store_relaxed(&w->dispatch.next_in_a_row, in_a_row + 1);
        return wsfj_run_queue_pop_next(queue, item);
    }
    store_relaxed(&w->dispatch.next_in_a_row, 0u);
    return wsfj_run_queue_pop(queue, item);
}

/* Takes the oldest task of the global queue. The rest of this worker's share goes to its run queue. */
static bool common_item(struct wsfj_worker *w, struct wsfj_item *item)
{
    struct wsfj_item items[WSFJ_RUN_QUEUE_SIZE / 2];
    unsigned room = wsfj_run_queue_room(&w->detached.queue);
    unsigned most = room < WSFJ_RUN_QUEUE_SIZE / 2 ? room : WSFJ_RUN_QUEUE_SIZE / 2;
    unsigned n;

    n = wsfj_global_queue_take(items, most ? most : 1, wsfj_num_workers);
    if (n == 0)
        return false;
    WSFJ_EVENT(w, global_queue_take, 0, n, 0, 0);
    *item = items[0];
    if (n > 1)
        wsfj_run_queue_append(&w->detached.queue, items + 1, n - 1);
    return true;
}

/* Takes a task from another worker's queue, run-next included. */
static bool others_item(struct wsfj_worker *w, struct wsfj_item *item)
{
    for (unsigned i = 1; i < wsfj_num_workers; i++) {
        struct wsfj_run_queue *queue = &wsfj_workers[(w->id + i) % wsfj_num_workers].detached.queue;

        while (wsfj_run_queue_pending(queue)) {
            if (wsfj_run_queue_steal(queue, &w->detached.queue, item))
                return true;
        }
    }
    return false;
}

bool wsfj_dispatch_item(struct wsfj_worker *w, struct wsfj_item *item)
{
    return wsfj_dispatch_own_item(w, item) || common_item(w, item) || others_item(w, item);
}

/* No stack is to be had: takes the first fiber of the worker's own queue, which needs none. The tasks before it go to the
 * end. */
static struct wsfj_stack *own_fiber(struct wsfj_worker *w)
{
    struct wsfj_run_queue *queue = &w->detached.queue;
    struct wsfj_item items[WSFJ_RUN_QUEUE_SIZE];
    struct wsfj_stack *s = NULL;
    unsigned n = 0;

    while (!s && wsfj_run_queue_pop(queue, &items[n])) {
        s = wsfj_item_fiber(items[n]);
        n += !s;
    }
    if (n)
        wsfj_run_queue_append(queue, items, n);
    return s;
}

/* What `take` finds: a fiber, or a fresh stack with the task. NULL if there is nothing, or no stack for a task. */
static struct wsfj_stack *loaded(struct wsfj_worker *w, bool (*take)(struct wsfj_worker *, struct wsfj_item *))
{
    struct wsfj_stack *fresh = wsfj_fresh_stack(w), *s = NULL;
    struct wsfj_item item;

    if (!fresh)
        return own_fiber(w);
    if (take(w, &item)) {
        s = wsfj_item_fiber(item);
        if (!s) {
            wsfj_load_item(fresh, item);
            return fresh;
        }
    }
    wsfj_pool_give(&w->cache, fresh);
    return s;
}

/* The same with the root of a queued region. If no stack is to be had, tells the caller of a ws_run() to run its root
 * itself. */
static struct wsfj_stack *load_root(struct wsfj_worker *w)
{
    struct wsfj_stack *s = wsfj_fresh_stack(w);
    struct wsfj_region *region = wsfj_root_pop();

    if (s && region) {
        store_relaxed(&s->job.item.fn, NULL);
        store_relaxed(&s->job.region, region);
        store_relaxed(&s->job.stolen, NULL);
        return s;
    }
    if (s)
        wsfj_pool_give(&w->cache, s);
    else if (region)
        wsfj_root_finish(region, WSFJ_REGION_SERIAL);
    return NULL;
}

/* Fibers that have yielded, roots, and tasks of the global queue: each kind comes first in turn. */
static struct wsfj_stack *from_common(struct wsfj_worker *w)
{
    struct wsfj_stack *s = NULL;

    for (unsigned i = 0; i < 3 && !s; i++) {
        unsigned kind = w->dispatch.common;

        w->dispatch.common = kind < 2 ? kind + 1 : 0;
        switch (kind) {
        case 0: s = wsfj_global_queue_take_fiber(NULL); break;
        case 1: s = wsfj_root_pending() ? load_root(w) : NULL; break;
        case 2: s = wsfj_global_queue_has_items() ? loaded(w, common_item) : NULL; break;
        }
    }
    return s;
}

static struct wsfj_stack *from_own(struct wsfj_worker *w)
{
    return wsfj_run_queue_pending(&w->detached.queue) ? loaded(w, wsfj_dispatch_own_item) : NULL;
}

/* Whether the common queues come first. */
static bool owes_the_common_queues(const struct wsfj_worker *w)
{
    return wsfj_items_dispatches(w) % wsfj_policy.common_every == 0;
}

static inline struct wsfj_stack *next(struct wsfj_worker *w, bool steal)
{
    struct wsfj_stack *s = steal ? wsfj_steal(w, NULL) : NULL;

    if (!s && owes_the_common_queues(w))
        s = from_common(w);
    if (!s)
        s = from_own(w);
    return s ? s : from_common(w);
}

/* Counts a dispatch, unless `s` is NULL, and makes known what remains. Returns `s`. */
static inline struct wsfj_stack *counted(struct wsfj_worker *w, struct wsfj_stack *s)
{
    if (!s)
        return NULL;
    wsfj_items_dispatched(w);
    /* PARK-5: other workers may take what remains: the children of a fiber that comes back, and the items that came
     * along with the task. On their way to this run queue these items were in no queue. No searcher makes up for that,
     * because the worker was not counted as a searcher. */
    if (wsfj_run_queue_pending(&w->detached.queue) || wsfj_global_queue_has_items() || wsfj_global_queue_has_fibers() ||
        wsfj_deque_has_work(s))
        wsfj_queued(w);
    return s;
}

bool wsfj_dispatch_owes_a_steal(const struct wsfj_worker *w)
{
    return wsfj_items_dispatches(w) % wsfj_policy.steal_every == 0;
}

static uint64_t next_multiple(uint64_t of, uint64_t count)
{
    return (count / of + 1) * of;
}

bool wsfj_dispatch_owes_nothing(struct wsfj_worker *w)
{
    uint64_t count = wsfj_items_dispatches(w);
    uint64_t followed = load_relaxed(&w->log.followed);
    uint64_t common = next_multiple(wsfj_policy.common_every, count),
             steal = next_multiple(wsfj_policy.steal_every, count);

    if (load_relaxed(&w->log.ring) || wsfj_dispatch_owes_a_steal(w) ||
        (owes_the_common_queues(w) &&
         (wsfj_global_queue_has_items() || wsfj_global_queue_has_fibers() || wsfj_root_pending())))
        return false;
    w->dispatch.check_at = (int64_t)(followed + (common < steal ? common : steal) - count);
    return true;
}

struct wsfj_stack *wsfj_dispatch(struct wsfj_worker *w, bool steal)
{
    return counted(w, next(w, steal));
}

struct wsfj_stack *wsfj_dispatch_anything(struct wsfj_worker *w)
{
    struct wsfj_stack *s = next(w, false);

    return counted(w, s || !wsfj_waiting_items() ? s : loaded(w, others_item));
}
