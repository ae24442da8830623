/* SPDX-License-Identifier: MIT */
/* A suspended fiber has become runnable: where it goes, and who is told. A fiber that a task's end resumes goes on at once
 * in the loop of serve.c; every other one passes here. */
#ifndef WSFJ_IDLE_RESUME_H
#define WSFJ_IDLE_RESUME_H

struct wsfj_stack;
struct wsfj_worker;

/*
 * Makes a fiber runnable, from any thread. It goes to the mailbox of its last worker if that one searches; else into the run
 * queue of the worker that serves the caller, where it comes next; else, also if the caller is no task that a worker of
 * the runtime serves, into the global queue. The fiber may run before this returns.
 */
void wsfj_resume(struct wsfj_stack *stack);

/* The same for fibers that are linked by pool.next. NULL: none. */
void wsfj_resume_all(struct wsfj_stack *first);

/* The same for all but the first, which is returned: the caller resumes it itself. */
struct wsfj_stack *wsfj_resume_others(struct wsfj_stack *first);

/* Puts a runnable fiber at the end of the global queue, behind all others, and makes it known. `self` as for
 * wsfj_wake_notify(). */
void wsfj_resume_last(struct wsfj_stack *stack, struct wsfj_worker *self);

#endif
