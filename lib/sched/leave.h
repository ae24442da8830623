/* SPDX-License-Identifier: MIT */
/* How a fiber leaves its stack for the loop of the thread that serves its worker (serve.c). */
#ifndef WSFJ_SCHED_LEAVE_H
#define WSFJ_SCHED_LEAVE_H

#include "worker/after_switch.h"

/* Leaves the stack for the scheduler's loop, which calls `after`. Returns when the fiber is resumed, perhaps on another
 * worker. */
void wsfj_leave_stack(struct wsfj_stack *own, wsfj_after_switch *after);

/* The same, to let other tasks run: for ws_yield(), or because the preempter has asked for it. */
void wsfj_leave_yield(struct wsfj_stack *own, wsfj_after_switch *after);

/* The task has left a blocking section or a pin open. */
void wsfj_leave_close_open(struct wsfj_stack *own);

#endif
