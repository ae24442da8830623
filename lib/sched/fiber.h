/* SPDX-License-Identifier: MIT */
/*
 * What runs on a stack of the pool - a stolen task, a detached task or a region's root - and how it leaves the stack
 * for the loop of the thread that serves its worker (serve.c).
 */
#ifndef WSFJ_SCHED_FIBER_H
#define WSFJ_SCHED_FIBER_H

#include "base/base.h"
#include "worker/after_switch.h"

/* Before the first thread starts: the workers are made. */
void wsfj_fiber_start(void);

/* The first function on a fresh stack of the pool. */
void wsfj_fiber_main(void *stack);
/* The same if ThreadSanitizer is in the program: a function of its own, so that tasks elsewhere are not slower. */
void wsfj_fiber_main_watched(void *stack);

/* Leaves the stack for the scheduler's loop, which calls `after`. Returns when the fiber is resumed, perhaps on another
 * worker. */
void wsfj_fiber_leave(struct wsfj_stack *own, wsfj_after_switch *after);

/* The same, to let other tasks run: for ws_yield(), or because the preempter has asked for it. */
void wsfj_fiber_yield(struct wsfj_stack *own, wsfj_after_switch *after);

#endif
