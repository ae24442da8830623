/* SPDX-License-Identifier: MIT */
/* How a fiber leaves its stack for the loop of the thread that serves its worker (serve.c). */
#ifndef WSFJ_SCHED_LEAVE_H
#define WSFJ_SCHED_LEAVE_H

#include "worker/after_switch.h"

#include <stdbool.h>

/* Leaves the stack for the scheduler's loop, which calls `after`. Returns when the fiber is resumed, perhaps on another
 * worker. */
void wsfj_leave_stack(struct wsfj_stack *own, wsfj_after_switch *after);

/*
 * Suspends the fiber. When it has left its stack, the scheduler's loop calls commit(own, arg), which makes the fiber known to
 * those who may resume it and returns true; exactly one of them then makes it runnable (idle/resume.h), perhaps before
 * commit() returns. False: the fiber need not wait and goes on at once. Returns when the fiber is resumed, perhaps on
 * another worker.
 */
void wsfj_suspend(struct wsfj_stack *own, bool (*commit)(struct wsfj_stack *own, void *arg), void *arg);

/* The same as wsfj_leave_stack(), to let other tasks run: for ws_yield(), or because the preempter has asked for it. */
void wsfj_leave_yield(struct wsfj_stack *own, wsfj_after_switch *after);

/* The task has left a blocking section, a pin or a mutex open. */
void wsfj_leave_close_open(struct wsfj_stack *own);

#endif
