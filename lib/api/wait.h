/* SPDX-License-Identifier: MIT */
/*
 * What a task does that cannot go on: ws_group_wait(), ws_yield(), a submit without room. It leaves its worker to other tasks.
 * If all stacks are in use, it runs one of them on its own stack. Neighbours: submit.c; group.c, which finds the waiter.
 */
#ifndef WSFJ_API_WAIT_H
#define WSFJ_API_WAIT_H

struct wsfj_stack;

/* Lets other tasks run; without any, other threads. */
void wsfj_wait_yield(struct wsfj_stack *own);

/* Puts a runnable fiber into the global queue, and makes it known. Returns NULL. */
struct wsfj_stack *wsfj_wait_queue_fiber(struct wsfj_stack *stack);

#endif
