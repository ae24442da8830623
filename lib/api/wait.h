/* SPDX-License-Identifier: MIT */
/*
 * How a task waits: it leaves its worker to other tasks (wait.c). If it waits for a group, or for room in a submit, and all stacks
 * are in use, it calls another task on its own stack (group_wait.c). Neighbours: submit.c; queue/group.c; wait/table.c, which finds
 * the waiters.
 */
#ifndef WSFJ_API_WAIT_H
#define WSFJ_API_WAIT_H

#include "wait/waiter.h"

struct wsfj_stack;

/* Lets other tasks run. If there is none, lets other threads have the processor. */
void wsfj_wait_yield(struct wsfj_stack *own);

/* Shows what the fiber is about to wait for, and since when. */
void wsfj_wait_show(struct wsfj_stack *own, const struct wsfj_waiter *waiter, enum wsfj_wait_kind kind, const void *on);

/* The caller as a waiter for these nodes, linked by `other`. */
struct wsfj_waiter wsfj_waiter_here(struct wsfj_node *nodes);

/*
 * The caller waits for the waiter's nodes until the time `until`, in nanoseconds of CLOCK_MONOTONIC; WSFJ_FOREVER: without
 * end. A task that a worker serves is suspended; in a blocking section, and elsewhere, the thread sleeps. `kind` and `on`,
 * the object, are for those who look at the fiber. Not for threads between tasks (worker/between_tasks.h).
 *
 * Returns the number of the node that has come; WSFJ_WAIT_TIME; WSFJ_WAIT_CANCELLED, before or during the wait, if a scope or the
 * group that the caller is a member of is cancelled, but a lock of a mutex without a deadline is not; or WSFJ_WAIT_AGAIN. It may
 * return early: the caller tests again.
 */
uint32_t wsfj_wait(struct wsfj_waiter *waiter, enum wsfj_wait_kind kind, const void *on, uint64_t until);

/* `until`, or the first deadline of the scopes that the caller is a member of, if that is earlier. */
uint64_t wsfj_wait_scopes(uint64_t until);

/* What that means for the caller of a public function: ETIMEDOUT, ECANCELED or 0. Counts the first two. */
int wsfj_wait_error(enum wsfj_wait_kind kind, uint32_t state);

#endif
