/* SPDX-License-Identifier: MIT */
/*
 * How a task waits, in ws_group_wait(), in ws_yield() and in a submit without room: it leaves its worker to other tasks. If all
 * stacks are in use, it calls another task on its own stack. Neighbours: submit.c; group.c; wait/table.c, which finds the
 * waiters.
 */
#ifndef WSFJ_API_WAIT_H
#define WSFJ_API_WAIT_H

struct wsfj_stack;

/* Lets other tasks run. If there is none, lets other threads have the processor. */
void wsfj_wait_yield(struct wsfj_stack *own);

#endif
