/* SPDX-License-Identifier: MIT */
#include "sched/fiber.h"

#include "base/atomic.h"
#include "base/debug.h"
#include "base/tsan.h"
#include "sched/detached.h"
#include "sched/fiber_run.h"
#include "sched/fiber_task.h"
#include "sched/fork_child.h"
#include "sched/unwind_link.h"
#include "task/deque.h"
#include "task/join.h"
#include "task/region.h"
#include "task/scope.h"
#include "task/stack.h"
#include "worker/worker.h"

static bool workers_ready;

/* The fiber has ended. Returns when the stack has another one. */
static inline void leave_free(struct wsfj_stack *own)
{
    if (wsfj_stack_is_fork_child(own))
        wsfj_fork_child_stop(true);
    wsfj_assert(!wsfj_deque_has_work(own));
    store_relaxed(&own->shown.life, (uint32_t)WSFJ_LIFE_FREE);
    count_one(&own->shown.moves);
    wsfj_fiber_run_leave(own, NULL);
}

/* A stolen task or a root has ended. Returns the worker. */
static inline WSFJ_ALWAYS struct wsfj_worker *counted_end(struct wsfj_stack *own)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    WSFJ_COUNT(w, task_end); /* before waiters are told, as in detached.c */
    return w;
}

/* Logs which fiber the end of this task resumes. */
static inline WSFJ_ALWAYS struct wsfj_stack *logged(struct wsfj_stack *own, struct wsfj_stack *resume)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    if (resume)
        WSFJ_EVENT(w, runnable, 0, load_relaxed(&resume->number), 0, load_relaxed(&resume->job.runs));
    return resume;
}

/* Runs the stolen task. Returns the fiber that its end resumes, or NULL. */
static inline WSFJ_ALWAYS struct wsfj_stack *run_stolen(struct wsfj_stack *own, struct wsfj_descriptor *desc,
                                                        bool watched)
{
    const struct wsfj_kind *kind = load_relaxed(&own->job.kind);

    if (watched)
        wsfj_tsan_acquire(&desc->wsfj_word); /* the push has stored it with release */
    wsfj_fiber_prepare(own, load_relaxed(&own->job.region));
    wsfj_unwind_link_begin(own);
    /* The result stays in the descriptor until the parent's sync: its variable may be gone by now. */
    kind->wsfj_exec(&own->deque, own->bottom, desc,
                    kind->wsfj_in_area ? (void *)(uintptr_t)desc->wsfj_args[0] : (void *)desc->wsfj_args);
    wsfj_leave_close(own);
    wsfj_unwind_link_end(own);
    (void)counted_end(own);
    if (watched)
        wsfj_tsan_release(&desc->wsfj_word); /* sync.c, acquire_all */
    return wsfj_join_finish(desc, kind);
}

/* Runs the detached task, and those that follow it. Returns as above. */
static inline WSFJ_ALWAYS struct wsfj_stack *run_detached(struct wsfj_stack *own, bool watched)
{
    struct wsfj_stack *resume;

    if (watched)
        wsfj_item_acquire(&own->job.item);
    wsfj_fiber_prepare_detached(own, load_relaxed(&own->job.region));
    if (load_relaxed(&own->job.item.group))
        wsfj_scope_inherit(own, &own->job.item.group->wsfj_scope);
    wsfj_unwind_link_begin(own);
    resume = wsfj_detached_run(own);
    store_relaxed(&own->job.item.fn, NULL);
    store_relaxed(&own->job.item.group, NULL);
    return resume;
}

/* Runs the region's root, which resumes no fiber. */
static inline WSFJ_ALWAYS void run_root(struct wsfj_stack *own, struct wsfj_region *region)
{
    struct wsfj_record *record = wsfj_context_record(&own->context);
    struct wsfj_worker *w;

    /* The thread has the region's floating-point modes: a guest's thread started the region; a worker's thread has set
     * them in prepare_run() (serve.c). */
    if (WSFJ_SWITCH_BRINGS_MODES)
        wsfj_fiber_prepare(own, region);
    else
        wsfj_fiber_prepare_area(own);
    wsfj_unwind_link_begin_root(own, record, region);
    wsfj_execany(&own->deque, own->bottom, region->root, region->rp);
    wsfj_leave_close(own);
    wsfj_unwind_link_end_root(own, record);
    w = counted_end(own);
    store_release(&w->finished, region); /* the root's result, if its caller is on this thread */
}

/* Runs what was put on the stack. `watched`, a constant: ThreadSanitizer is told what other threads hand to the task
 * and get from it. */
static inline WSFJ_ALWAYS void run(struct wsfj_stack *own, bool watched)
{
    struct wsfj_descriptor *desc = load_relaxed(&own->job.stolen); /* the loop that switched here has stored it */

    wsfj_assert(load_relaxed(&workers_ready));
    store_relaxed(&own->shown.life, (uint32_t)WSFJ_LIFE_RUNS);
    wsfj_stack_lives_on(own, load_relaxed(&own->shown.runs) + 1);
    if (desc || own->job.item.fn) {
        struct wsfj_stack *resume = logged(own, desc ? run_stolen(own, desc, watched) : run_detached(own, watched));
        struct wsfj_worker *w = load_relaxed(&own->worker);

        store_relaxed(&w->resume, resume);
        store_relaxed(&w->finished, NULL);
    } else {
        run_root(own, load_relaxed(&own->job.region));
    }
}

static inline WSFJ_ALWAYS void run_for_ever(struct wsfj_stack *argument, bool watched)
{
    /* volatile: otherwise gcc keeps addresses of its fields in registers while tasks run. */
    struct wsfj_stack *volatile stack = argument;

    wsfj_context_entered(&stack->context);
    for (;;) {
        struct wsfj_stack *own = stack;

        run(own, watched);
        leave_free(own);
    }
}

void wsfj_fiber_main(void *stack)
{
    run_for_ever(stack, false);
}

void wsfj_fiber_main_watched(void *stack)
{
    run_for_ever(stack, true);
}

void wsfj_fiber_start(void)
{
    store_release(&workers_ready, true);
}
