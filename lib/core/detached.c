/* SPDX-License-Identifier: MIT */
#include "core/detached.h"

#include "base/atomic.h"
#include "core/dispatch.h"
#include "core/fiber_task.h"
#include "core/unwind_link.h"
#include "core/worker.h"
#include "idle/cpu_limit.h"
#include "queue/group.h"
#include "task/region.h"
#include "task/stack.h"

/* Whether the scheduler's loop would do nothing but dispatch an own task now: the worker is not a guest's, has not lent its
 * slot, records no trace and may go on, and no other queue's or victim's turn has come. */
static inline bool only_own_tasks_are_due(struct wsfj_worker *w, const struct wsfj_server *server)
{
    return server->thread && !load_relaxed(&server->lent) && !load_relaxed(&w->log.ring) &&
           wsfj_cpu_limit_allows(w->id) &&
           (load_relaxed(&w->dispatch.count) < w->dispatch.check_at || wsfj_dispatch_owes_nothing(w));
}

/* The task has ended. Returns the worker that serves the fiber. */
static inline struct wsfj_worker *end(struct wsfj_stack *own)
{
    struct wsfj_worker *w;

    wsfj_fiber_close(own);
    wsfj_unwind_link_end_detached(own);
    w = load_relaxed(&own->worker);
    WSFJ_COUNT(w, task_end); /* before waiters are told: a fiber that has waited for the task finds it counted */
    wsfj_dispatch_finished(w);
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
    wsfj_stack_refresh(own);
    wsfj_stack_put_item(own, item);
    store_relaxed(&own->job.runs, 1u);
    WSFJ_COUNT(w, task_begin);
    WSFJ_PROBE(task_begin, w->id, 0, load_relaxed(&own->number), load_relaxed(&own->job.name), 0);
    wsfj_fiber_prepare(own, load_relaxed(&own->job.region));
    wsfj_stack_lives_on(own);
    wsfj_unwind_link_next(own);
}

struct wsfj_stack *wsfj_detached_run(struct wsfj_stack *own)
{
    for (;;) {
        const struct wsfj_server *server;
        struct wsfj_stack *resume;
        struct wsfj_worker *w;
        struct wsfj_item item;

        own->job.item.fn(own->job.item.arg);
        w = end(own);
        resume = wsfj_group_finish(own->job.item.group);
        if (resume)
            return resume;
        server = load_acquire(&w->server);
        if (wsfj_stack_is_fork_child(own) || !only_own_tasks_are_due(w, server) || !wsfj_dispatch_own_item(w, &item))
            return NULL;
        begin(own, w, server, item);
    }
}
