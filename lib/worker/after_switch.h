/* SPDX-License-Identifier: MIT */
/* What a fiber that leaves its stack asks the loop of its thread to do. */
#ifndef WSFJ_WORKER_AFTER_SWITCH_H
#define WSFJ_WORKER_AFTER_SWITCH_H

struct wsfj_stack;

/* The scheduler's loop calls this after the switch, when the fiber has left its stack: it makes the fiber known to the
 * thread that will resume it. Returns the stack if the fiber can resume at once; else NULL, and another thread may run
 * it already. */
typedef struct wsfj_stack *wsfj_after_switch(struct wsfj_stack *stack);

#endif
