/* SPDX-License-Identifier: MIT */
/*
 * Runs detached tasks, one after the other, on one stack. The switch to the scheduler's loop, the loop's round and the
 * switch back would take longer than a short task. Neighbours: dispatch.c, where the tasks come from; fiber.c, what
 * runs on a stack.
 */
#ifndef WSFJ_SCHED_DETACHED_H
#define WSFJ_SCHED_DETACHED_H

struct wsfj_stack;

/* Runs the task that was put on the stack. Then the next ones of the worker's own queue, until there is none, the end of
 * one resumes a fiber, or the scheduler's loop has other things to see to. Returns the fiber to resume, or NULL. On the
 * stack itself. */
struct wsfj_stack *wsfj_detached_run(struct wsfj_stack *own);

#endif
