/* SPDX-License-Identifier: MIT */
/*
 * Lending a worker's slot while its task blocks. Labels BLOCK-n: doc/protocols.md.
 *
 * The task's stack stays with its thread; the slot goes to another thread: to a spare, or, if the lender is a guest, to
 * the worker's own thread. At the end of the section the lender takes the slot back if the spare has not begun there.
 * Otherwise the fiber goes to the global queue as runnable, and the lender becomes a spare (a guest waits for its
 * region's end).
 */
#ifndef WSFJ_BLOCKING_BLOCKING_H
#define WSFJ_BLOCKING_BLOCKING_H

#include "base/base.h"

struct wsfj_stack;
struct wsfj_thread;
struct wsfj_worker;

/* If the fiber has no worker, gives it one. Called before the fiber waits for tasks, for which it needs a worker. */
void wsfj_blocking_return(struct wsfj_stack *own);

/* The fiber has waited for tasks: if a blocking section is still open, lends the worker's slot again. */
void wsfj_blocking_again(struct wsfj_stack *own);

/* Gives away the calling thread's slot: to the spare, or, a guest's (NULL), to the worker's own thread. The caller's
 * last touch of the worker. */
void wsfj_blocking_give(struct wsfj_worker *worker, struct wsfj_thread *spare, const struct wsfj_stack *sender);

#endif
