/* SPDX-License-Identifier: MIT */
#include "core/detached.h"

#include "base/atomic.h"
#include "base/policy.h"
#include "core/dispatch.h"
#include "core/fiber_task.h"
#include "core/unwind_link.h"
#include "core/worker.h"
#include "idle/cpu_limit.h"
#include "queue/group.h"
#include "queue/run_queue.h"
#include "task/region.h"
#include "task/stack.h"

/* Whether the scheduler's loop would do nothing but dispatch an own task now: the worker is not a guest's, has not lent its
 * slot and may go on, and nothing else is due. */
static inline bool only_own_tasks_are_due(struct wsfj_worker *w, const struct wsfj_server *server)
{
    return server->thread && !load_relaxed(&server->lent) && wsfj_cpu_limit_allows(w->id) &&
           (load_relaxed(&w->dispatch.count) < w->dispatch.check_at || wsfj_dispatch_owes_nothing(w));
}

/* The task has ended. Returns the worker that serves the fiber. */
static inline struct wsfj_worker *end(struct wsfj_stack *own)
{
    struct wsfj_worker *w;

    wsfj_fiber_close(own);
    wsfj_unwind_link_end_detached(own);
    WSFJ_TSAN_ACQUIRE(&own->worker); /* what other fibers did here before this one resumed: their tasks may be next */
    w = load_relaxed(&own->worker);
    WSFJ_COUNT(w, task_end); /* before waiters are told: a fiber that has waited for the task finds it counted */
    wsfj_detached_finished(w);
    return w;
}

/* The stack gets the worker's next task, and its fiber what each task finds at its beginning. */
static inline void begin(struct wsfj_stack *own, struct wsfj_worker *w, const struct wsfj_server *server,
                         struct wsfj_item item)
{
    WSFJ_PROBE(task_end, w->id, 0, load_relaxed(&own->number), 0, 0); /* no trace; end() has counted it */
    count_one(&w->dispatch.count);
    /* The task that has ended may have left a handler by longjmp(). */
    (void)wsfj_exceptions_swap(server->exceptions, (struct wsfj_exceptions){NULL, 0});
    wsfj_stack_put_item(own, item);
    wsfj_unwind_link_next(own);
    wsfj_stack_refresh(own);
    store_relaxed(&own->job.runs, 1u);
    WSFJ_COUNT(w, task_begin);
    WSFJ_PROBE(task_begin, w->id, 0, load_relaxed(&own->number), load_relaxed(&own->job.name), 0);
    wsfj_fiber_prepare(own, load_relaxed(&own->job.region));
    wsfj_stack_lives_on(own);
}

/* Takes the task that wsfj_dispatch_own_item() would take, if it is of the group and no thief is in between. */
static inline bool own_item_of(struct wsfj_worker *w, ws_group *group, struct wsfj_item *item)
{
    struct wsfj_run_queue *queue = &w->detached.queue;
    unsigned in_a_row = load_relaxed(&w->dispatch.next_in_a_row);

    item->group = group;
    if (in_a_row < wsfj_policy.next_in_a_row && wsfj_run_queue_has_next(queue)) {
        struct wsfj_item next; /* *item itself stays in registers */

        if (!wsfj_run_queue_take_next_of(queue, group, &next))
            return false;
        *item = next;
        store_relaxed(&w->dispatch.next_in_a_row, in_a_row + 1);
        return true;
    }
    if (!wsfj_run_queue_pop_of(queue, group, &item->fn, &item->arg))
        return false;
    store_relaxed(&w->dispatch.next_in_a_row, 0u);
    return true;
}

struct wsfj_stack *wsfj_detached_run(struct wsfj_stack *own)
{
    unsigned ended = 0; /* tasks that their group still counts */

    for (;;) {
        const struct wsfj_server *server;
        struct wsfj_worker *w;
        struct wsfj_item item;
        bool goes_on;

        own->job.item.fn(own->job.item.arg);
        w = end(own);
        ended++;
        server = load_acquire(&w->server);
        goes_on = !wsfj_stack_is_fork_child(own) && only_own_tasks_are_due(w, server);
        /* GROUP-4: the next task tells the group that this one has ended, if it is of the same group: its waiter waits for
         * both. */
        if (!goes_on || !own_item_of(w, own->job.item.group, &item)) {
            struct wsfj_stack *resume = wsfj_group_finish(own->job.item.group, ended);
            struct wsfj_item other;

            if (resume || !goes_on || !wsfj_dispatch_own_item(w, &other))
                return resume;
            item = other;
            ended = 0;
        }
        begin(own, w, server, item);
    }
}
