/* SPDX-License-Identifier: MIT */
/*
 * Suspended deques: the deques of stacks that no worker runs, while tasks are pending on them. The strand of such a stack
 * blocks in a bracket, has yielded or given way, or waits for a group. All these deques are in one list, so that thieves and
 * the last look reach their tasks
 * (label BLOCK-2: doc/protocols.md). The name is that of Singer, Xu and Lee, Proactive Work Stealing for Futures, PPoPP 2019.
 */
#ifndef WSFJ_CORE_SUSPENDED_H
#define WSFJ_CORE_SUSPENDED_H

#include "base/base.h"

struct wsfj_stack;

/* Makes the stack's tasks public, and lists its deque unless it is listed. Only the stack's own strand calls this: before
 * worker.stack changes, or in a bracket. */
void wsfj_suspended_add(struct wsfj_stack *own);

/* Takes the deque out of the list. Only the thread that runs the stack from now on calls this, after it has stored the stack
 * in worker.stack. */
void wsfj_suspended_remove(struct wsfj_stack *stack);

/* How many are listed, by a sequentially consistent load. */
size_t wsfj_suspended_count(void);

/* For thieves: each call returns the next listed stack, round and round; NULL if there is none. A worker may already run the
 * stack again. */
struct wsfj_stack *wsfj_suspended_next(void);

/* For the last look: asks all owners to speak up at their next spawn. False if no deque is listed. */
bool wsfj_suspended_ask(void);

/* For the last look: whether any listed deque has a task that is not stolen. */
bool wsfj_suspended_have_work(void);

/* In the child of a fork: the list is empty. */
void wsfj_suspended_forget(void);

#endif
