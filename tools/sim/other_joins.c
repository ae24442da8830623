/* SPDX-License-Identifier: MIT */
/* No stealing; joins that keep the worker (join.c). Compiled as the library's files are. */
#include "others.h"

#include "sched/sync.h"
#include "sched/steal.h"
#include "worker/worker.h"
#include "task/stack.h"

extern __typeof__(wsfj_steal) WSFJ_POLICY_FUNCTION(wsfj_steal);
extern __typeof__(wsfj_sync_suspend) WSFJ_POLICY_FUNCTION(wsfj_sync_suspend);

struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    if (!sim_others.never_steal)
        return WSFJ_POLICY_FUNCTION(wsfj_steal)(w, only);
    w->watch.stack = NULL;
    return NULL;
}

void wsfj_sync_suspend(struct wsfj_stack *own, uint32_t children)
{
    if (sim_others.join)
        sim_others.join(own);
    else
        WSFJ_POLICY_FUNCTION(wsfj_sync_suspend)(own, children);
}
