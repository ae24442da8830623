/* SPDX-License-Identifier: MIT */
/* A stack of the pool for what is about to run. */
#ifndef WSFJ_SCHED_FRESH_H
#define WSFJ_SCHED_FRESH_H

struct wsfj_stack;
struct wsfj_worker;

/* Prepares a stack for a task or root; its deque is empty. NULL: none is to be had. */
struct wsfj_stack *wsfj_fresh_stack(struct wsfj_worker *worker);

#endif
