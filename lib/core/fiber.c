/* SPDX-License-Identifier: MIT */
#include "core/fiber.h"

#include "api/fork_child.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "blocking/blocking.h"
#include "blocking/pin.h"
#include "core/dispatch.h"
#include "core/join.h"
#include "core/suspended.h"
#include "core/unwind_link.h"
#include "core/worker.h"
#include "queue/group.h"
#include "task/deque.h"
#include "task/region.h"

static bool workers_ready;

/* The head of the stack this thread runs on; NULL outside. One pointer: initial-exec thread-local memory is scarce. */
WSFJ_EXPORT __attribute__((tls_model("initial-exec"), used)) __thread struct wsfj_head *wsfj_tls;

WSFJ_EXPORT __attribute__((noinline)) struct wsfj_head *wsfj_self_slow(void)
{
    return wsfj_tls;
}

/* Not inlined: a task may come back on another thread. */
__attribute__((noinline)) struct wsfj_stack *wsfj_strand_own(void)
{
    struct wsfj_head *head = wsfj_self();

    return head && head->mode != WSFJ_MODE_PRIVATE ? wsfj_stack_of(head) : NULL;
}

void wsfj_strand_leave(struct wsfj_stack *own, wsfj_left *left)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    if (wsfj_orphan_is(own))
        wsfj_orphan_stop(!left);
    if (wsfj_deque_has_work(own))
        wsfj_suspended_add(own); /* the strand waits for a group, yields, or gives way */
    struct wsfj_server *server = load_acquire(&w->server);

    store_relaxed(&w->left, left);
    store_release(&own->left, true); /* for wsfj_pool_stop(); our last word */
    wsfj_context_switch(&own->context, &server->loop);
    if (left) {
        wsfj_stack_lives(own, WSFJ_LIFE_RUNS);
        wsfj_fpenv_set(load_relaxed(&own->region)->fpenv); /* after the switch: swapcontext() has its own idea */
    }
}

void wsfj_strand_yield(struct wsfj_stack *own, wsfj_left *left)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    WSFJ_EVENT(w, yield, 0, load_relaxed(&own->number), 0, load_relaxed(&own->turn));
    wsfj_stack_lives(own, WSFJ_LIFE_YIELDED);
    wsfj_strand_leave(own, left);
    (void)load_acquire(&own->worker); /* as in wait_inside() in submit.c */
}

/* A task has ended, maybe with a bracket or a pin open. */
static void end(struct wsfj_stack *own)
{
    struct wsfj_worker *w;

    if (own->brackets) {
        own->brackets = 0;
        wsfj_blocking_return(own);
    }
    if (own->pins)
        wsfj_pin_end(own);
    wsfj_lineage_end(own);
    w = load_relaxed(&own->worker);
    WSFJ_COUNT(w, task_end); /* before anybody is told: whoever has waited for the task finds it counted */
}

/* Whom the end of our task lets go on. */
static struct wsfj_stack *logged(struct wsfj_stack *own, struct wsfj_stack *resume)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    if (resume)
        WSFJ_EVENT(w, resume, 0, load_relaxed(&resume->number), 0, load_relaxed(&resume->turn));
    return resume;
}

void wsfj_strand_main(void *argument)
{
    struct wsfj_stack *own = argument;

    wsfj_context_entered(&own->context);
    for (;;) {
        /* Acquires: for a checker that takes this stack for a strand of its own. */
        bool ready = load_acquire(&workers_ready);
        struct wsfj_line *line = load_acquire(&own->job);
        struct wsfj_region *region = load_relaxed(&own->region);
        struct wsfj_stack *resume = NULL;

        if (line)
            (void)load_acquire(&line->word); /* arguments and region: the steal has ordered them already */
        wsfj_assert(ready);
        (void)ready;
        own->head.area = own->head.area_start;
        wsfj_stack_lives(own, WSFJ_LIFE_RUNS);
        wsfj_fpenv_set(region->fpenv);
        wsfj_lineage_begin(own);

        if (line) {
            const struct wsfj_kind *kind = load_relaxed(&own->kind);

            /* The result stays with the line until the parent's sync: its variable may be gone by now. */
            kind->exec(&own->head, own->lines, line,
                       kind->in_area ? (void *)(uintptr_t)line->args[0] : (void *)line->args);
            end(own);
            resume = logged(own, wsfj_join_finish(line, kind));
        } else if (own->item.fn) {
            own->item.fn(own->item.arg);
            end(own);
            wsfj_dispatch_finished(load_relaxed(&own->worker));
            resume = logged(own, wsfj_group_finish(own->item.group));
        } else {
            wsfj_exec_any(&own->head, own->lines, region->line, region->rp);
            end(own);
        }

        struct wsfj_worker *w = load_relaxed(&own->worker);

        store_relaxed(&w->resume, resume);
        if (line || own->item.fn)
            store_relaxed(&w->finished, NULL);
        else
            store_release(&w->finished, region); /* the root's result, if its caller is on this thread */
        store_relaxed(&own->item.fn, NULL);
        wsfj_stack_lives(own, WSFJ_LIFE_FREE);
        wsfj_strand_leave(own, NULL);
    }
}

void wsfj_strand_start(void)
{
    store_release(&workers_ready, true);
}
