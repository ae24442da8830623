/* SPDX-License-Identifier: MIT */
/*
 * From which task a fiber descends, for debuggers and for profilers, which follow frame pointers at any moment. Nothing
 * in the library reads it.
 *
 * The frame pointers of a stack lead to the record on its top (context.h), from there to the parent's record, and so on
 * to the record of the region's root, and through the frames of ws_run()'s caller to main(). A walk may interrupt the
 * thread that runs the fiber at any time. The records do not change during the walk: a parent's stack stays its task's
 * until the stolen child says DONE, and the caller of ws_run() stays there until the root is done. Before that the
 * fiber cuts the chain. The parent's own frames are not in the chain: the parent may run.
 *
 * A record's code is the parent's task, run_region() for a root, ws_submit() for a detached task.
 */
#ifndef WSFJ_SCHED_UNWIND_LINK_H
#define WSFJ_SCHED_UNWIND_LINK_H

#include "base/atomic.h"
#include "base/base.h"
#include "task/region.h"
#include "task/stack.h"

/* An address inside the function, for readers that look up a return address, or that address minus 1. */
static inline const char *wsfj_unwind_link_inside(uintptr_t function)
{
    return (const char *)function + 1;
}

/* The frame that waits for the region, and the function it belongs to. */
static inline void wsfj_unwind_link_root(struct wsfj_region *region, const void *frame, uintptr_t function)
{
    region->record = (struct wsfj_record){frame, wsfj_unwind_link_inside(function)};
}

/* The fiber begins the stolen or detached task that was put on its stack. */
void wsfj_unwind_link_begin(struct wsfj_stack *own);

/* The same for a region's root. `record`: wsfj_context_record() of the stack. */
static inline void wsfj_unwind_link_begin_root(struct wsfj_stack *own, struct wsfj_record *record,
                                               const struct wsfj_region *region)
{
    const struct wsfj_kind *kind = (const struct wsfj_kind *)load_relaxed(&region->root->wsfj_word);

    store_relaxed(&own->job.kind, kind);
    own->job.code = wsfj_unwind_link_inside((uintptr_t)kind->wsfj_exec); /* thieves read it: the steal orders that */
    *record = region->record;
}

/* The root has ended. It has no parent. */
static inline void wsfj_unwind_link_end_root(struct wsfj_stack *own, struct wsfj_record *record)
{
    record->next = NULL;
    store_relaxed(&own->job.kind, NULL); /* for dumps: the kind may be unloaded before the stack has another one */
    own->job.code = NULL;
}

/* The stolen task has ended. Called before the task's parent is told. */
static inline void wsfj_unwind_link_end(struct wsfj_stack *own)
{
    wsfj_unwind_link_end_root(own, wsfj_context_record(&own->context));
    store_relaxed(&own->job.parent, NULL);
}

/* The same for a detached task: it has no parent, so the record leads nowhere already. */
static inline void wsfj_unwind_link_end_detached(struct wsfj_stack *own)
{
    own->job.code = NULL;
}

/* After that: the fiber begins another detached task. */
static inline void wsfj_unwind_link_next(struct wsfj_stack *own, ws_function *fn)
{
    own->job.code = wsfj_unwind_link_inside((uintptr_t)fn);
}

#endif
