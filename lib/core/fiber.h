/* SPDX-License-Identifier: MIT */
/*
 * What runs on a stack of the pool: a stolen task, a detached one, or a region's root, and how it leaves the stack for the
 * loop of the thread that serves its worker (worker.c).
 */
#ifndef WSFJ_CORE_FIBER_H
#define WSFJ_CORE_FIBER_H

#include "base/base.h"

struct wsfj_stack;

/* Called by the scheduler's loop with a suspended stack, once it is left: makes it known to whoever will resume it.
 * Returns the stack if it can go on at once, else NULL, and then somebody may run it already. */
typedef struct wsfj_stack *wsfj_after_switch(struct wsfj_stack *stack);

/* Before the first thread starts: the workers are made. */
void wsfj_fiber_start(void);

/* The stack of the calling task, or NULL outside. */
struct wsfj_stack *wsfj_fiber_own(void);

/* The first function on a fresh stack of the pool. */
void wsfj_fiber_main(void *stack);

/* Leaves the stack for the scheduler's loop, which calls `left` (NULL: the stack is free). Returns when the stack is
 * resumed, perhaps on another worker. */
void wsfj_fiber_leave(struct wsfj_stack *own, wsfj_after_switch *after);

/* The same to let other tasks run: ws_yield(), or the preempter has asked for it. */
void wsfj_fiber_yield(struct wsfj_stack *own, wsfj_after_switch *after);

#endif
