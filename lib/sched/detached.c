/* SPDX-License-Identifier: MIT */
#include "sched/detached.h"

#include "base/atomic.h"
#include "base/policy.h"
#include "base/tsan.h"
#include "idle/allowed.h"
#include "idle/resume.h"
#include "queue/group.h"
#include "queue/run_queue.h"
#include "sched/dispatch.h"
#include "sched/fiber_task.h"
#include "sched/unwind_link.h"
#include "task/region.h"
#include "task/scope.h"
#include "task/stack.h"
#include "worker/items_count.h"
#include "worker/worker.h"

/* The fiber on the stack, while tasks follow each other. */
struct row {
    struct wsfj_worker *w;              /* that serves it */
    struct wsfj_exceptions *exceptions; /* of the thread that serves the worker */
    uint64_t run;                       /* the number of the fiber's run when that was so; at first no number */
    unsigned ended;                     /* tasks that their group still counts */
};

/* Returns the same stack. Without this gcc computes addresses of its fields long before their use, and keeps them in
 * registers. */
static inline struct wsfj_stack *same(struct wsfj_stack *own)
{
    __asm__("" : "+r"(own));
    return own;
}

/* Whether the task has left all as it was: the worker is the same, has not been lent, and no section or pin is open. A fiber
 * that leaves its stack, lends its worker or is left alone by a fork() begins another run. */
static inline bool is_as_before(const struct wsfj_stack *own, const struct row *row)
{
    return !wsfj_stack_has_open(own) && load_relaxed(&own->shown.runs) == row->run;
}

/* Closes what the task left open, and finds the worker that serves the fiber now. False if the worker's own tasks may not
 * follow: a guest serves it, or it has lent its slot. */
static bool look_again(struct wsfj_stack *own, struct row *row)
{
    const struct wsfj_server *server;

    wsfj_leave_close(own);
    row->w = load_relaxed(&own->worker);
    row->run = load_relaxed(&own->shown.runs);
    server = load_relaxed(&row->w->server);
    row->exceptions = server->exceptions;
    store_relaxed(&own->job.runs, 1u);
    if (wsfj_tsan_watches()) { /* fiber.c tells what a task gets */
        wsfj_group_release(load_relaxed(&own->job.item.group));
        return false;
    }
    return server->thread && !load_relaxed(&server->lent) && !wsfj_stack_is_fork_child(own);
}

/* Whether the scheduler's loop would do nothing but dispatch an own task now: the worker may go on, and nothing else is
 * due. */
static inline bool only_own_tasks_are_due(struct wsfj_worker *w)
{
    return wsfj_allowed_to_run(w->id) &&
           ((int64_t)load_relaxed(&w->log.followed) < w->dispatch.check_at || wsfj_dispatch_owes_nothing(w));
}

/* The task has ended, and none of its group follows. Returns the fiber that this resumes, or NULL. */
static struct wsfj_stack *end(struct wsfj_stack *own, struct row *row)
{
    unsigned ended = row->ended;

    wsfj_unwind_link_end_detached(own);
    WSFJ_COUNT(row->w, task_end); /* before waiters are told: a fiber that has waited for the task finds it counted */
    wsfj_items_finished(row->w);
    row->ended = 0;
    return wsfj_resume_others(wsfj_group_finish(own->job.item.group, ended));
}

/* The stack gets the worker's next task, and its fiber what each task finds at its beginning. The group and its scope are on the
 * stack. */
static inline void begin(struct wsfj_stack *own, struct row *row, ws_function *fn, void *arg)
{
    WSFJ_PROBE(task_end, row->w->id, 0, load_relaxed(&own->number), 0, 0); /* no trace; it is counted */
    /* The task that has ended may have left a handler by longjmp(). */
    (void)wsfj_exceptions_swap(row->exceptions, (struct wsfj_exceptions){NULL, 0});
    store_relaxed(&own->job.item.fn, fn); /* dumps may read it */
    own->job.item.arg = arg;
    wsfj_unwind_link_next(own, fn);
    wsfj_stack_refresh(own);
    WSFJ_PROBE(task_begin, row->w->id, 0, load_relaxed(&own->number), load_relaxed(&own->job.name), 0);
    wsfj_fiber_prepare_detached(own, load_relaxed(&own->job.region));
    row->run++;
    wsfj_stack_lives_on(own, row->run);
}

/* Takes the task that wsfj_dispatch_own_item() would take, if it is of the group and no thief takes it first. */
static inline bool own_item_of(struct wsfj_worker *w, const ws_group *group, struct wsfj_item *item)
{
    struct wsfj_run_queue *queue = &w->detached.queue;
    unsigned in_a_row;

    if (wsfj_run_queue_has_next(queue) &&
        (in_a_row = load_relaxed(&w->dispatch.next_in_a_row)) < wsfj_policy.next_in_a_row) {
        struct wsfj_item next; /* *item itself stays in registers */

        if (!wsfj_run_queue_pop_next_of(queue, group, &next))
            return false;
        *item = next;
        store_relaxed(&w->dispatch.next_in_a_row, in_a_row + 1);
        return true;
    }
    if (WSFJ_UNLIKELY(!wsfj_run_queue_pop_of(queue, group, &item->fn, &item->arg)))
        return false;
    store_relaxed(&w->dispatch.next_in_a_row, 0u);
    return true;
}

struct wsfj_stack *wsfj_detached_run(struct wsfj_stack *own)
{
    struct row row = {.run = UINT64_MAX};

    for (;;) {
        struct wsfj_item item;
        bool goes_on;

        own = same(own);
        if (!wsfj_group_drops(own->job.item.group))
            own->job.item.fn(own->job.item.arg);
        else
            WSFJ_COUNT(load_relaxed(&own->worker), cancel);
        row.ended++;
        goes_on = (is_as_before(own, &row) || look_again(same(own), &row)) && only_own_tasks_are_due(row.w);
        /* GROUP-4: the next task tells the group that this one has ended, if it is of the same group: its waiter waits for
         * both. */
        if (goes_on && own_item_of(row.w, own->job.item.group, &item)) {
            count_release(&row.w->log.followed); /* after `submitted`, which wsfj_items() reads later */
        } else {
            struct wsfj_stack *resume = end(own, &row);
            struct wsfj_item other;

            if (resume || !goes_on || !wsfj_dispatch_own_item(row.w, &other))
                return resume;
            if (wsfj_item_fiber(other))
                return wsfj_item_fiber(other);
            item = other;
            store_relaxed(&own->job.item.group, item.group);
            wsfj_scope_inherit(own, item.group ? &item.group->wsfj_scope : NULL);
            WSFJ_COUNT(row.w, task_begin);
            wsfj_items_dispatched(row.w);
        }
        begin(own, &row, item.fn, item.arg);
    }
}
