/* SPDX-License-Identifier: MIT */
/* Inlined where tasks begin and end on a stack: what a task finds at its beginning, and what is closed at its end. For
 * fiber.c and detached.c. */
#ifndef WSFJ_SCHED_FIBER_TASK_H
#define WSFJ_SCHED_FIBER_TASK_H

#include "arch/fpenv.h"
#include "sched/leave.h"
#include "task/region.h"
#include "task/stack.h"

/* A task is about to begin on the stack: the argument area is empty. */
static inline void wsfj_fiber_prepare_area(struct wsfj_stack *own)
{
    own->deque.wsfj_area = own->deque.wsfj_area_start;
}

/* The same, and the thread gets the region's floating-point modes. */
static inline void wsfj_fiber_prepare(struct wsfj_stack *own, const struct wsfj_region *region)
{
    wsfj_fiber_prepare_area(own);
    wsfj_fpenv_set(region->fpenv);
}

/* The same for a detached task. It never runs on a guest's thread, so no caller of ws_run() misses the thread's sticky
 * flags. */
static inline void wsfj_fiber_prepare_detached(struct wsfj_stack *own, const struct wsfj_region *region)
{
    wsfj_fiber_prepare_area(own);
    wsfj_fpenv_reset(region->fpenv);
}

/* The task has ended. */
static inline void wsfj_leave_close(struct wsfj_stack *own)
{
    if (WSFJ_UNLIKELY(wsfj_stack_has_open(own)))
        wsfj_leave_close_open(own);
}

#endif
