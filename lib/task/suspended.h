/* SPDX-License-Identifier: MIT */
/*
 * Suspended deques: the deques of stacks that no worker runs, while tasks are pending on them. The fiber of such a
 * stack blocks in a blocking section, has yielded or given way, or waits for a group. All these deques are in one list,
 * so that thieves and the recheck reach their tasks (label BLOCK-2: doc/protocols.md). The name is that of Singer, Xu
 * and Lee, Proactive Work Stealing for Futures, PPoPP 2019.
 */
#ifndef WSFJ_TASK_SUSPENDED_H
#define WSFJ_TASK_SUSPENDED_H

#include "base/atomic.h"
#include "base/base.h"

struct wsfj_stack;

extern WSFJ_HIDDEN size_t wsfj_suspended_listed; /* how many are listed; written under the list's mutex */

/* Makes the stack's tasks public, and lists its deque unless it is listed already. Only the stack's own fiber calls
 * this: before worker.stack changes, or in a blocking section. */
void wsfj_suspended_add(struct wsfj_stack *own);

/* Takes the deque out of the list. Only the thread that runs the stack from now on calls this, after it has stored the
 * stack in worker.stack. */
void wsfj_suspended_remove(struct wsfj_stack *stack);

/* How many are listed, by a sequentially consistent load. */
static inline size_t wsfj_suspended_count(void)
{
    return load_seq(&wsfj_suspended_listed);
}

/* For thieves: each call returns the next listed stack, in a circle; NULL if none is listed. A worker may already run
 * the stack again. */
struct wsfj_stack *wsfj_suspended_next(void);

/* For the recheck: wsfj_deque_request() of every listed deque. Returns whether one of them needs the barrier. */
bool wsfj_suspended_ask(void);

/* For the recheck: whether a listed deque has a task that is not stolen. */
bool wsfj_suspended_have_work(void);

/* In the child of a fork: the list is empty. */
void wsfj_suspended_forget(void);

#endif
