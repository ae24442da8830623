/* SPDX-License-Identifier: MIT */
/* What each task finds at its beginning, and what is closed at its end: for fiber.c and detached.c. */
#ifndef WSFJ_CORE_FIBER_TASK_H
#define WSFJ_CORE_FIBER_TASK_H

#include "arch/context.h"
#include "task/region.h"
#include "task/stack.h"

/* A task is about to begin on the stack. */
static inline void wsfj_fiber_prepare(struct wsfj_stack *own, const struct wsfj_region *region)
{
    own->deque.wsfj_area = own->deque.wsfj_area_start;
    wsfj_fpenv_set(region->fpenv);
}

/* The task has left a blocking section or a pin open. */
void wsfj_fiber_close_open(struct wsfj_stack *own);

/* The task has ended. */
static inline void wsfj_fiber_close(struct wsfj_stack *own)
{
    if (WSFJ_UNLIKELY(own->blocking.sections || own->pin.count))
        wsfj_fiber_close_open(own);
}

#endif
