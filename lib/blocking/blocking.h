/* SPDX-License-Identifier: MIT */
/*
 * Lending a worker's place while its task blocks. Labels BLOCK-n: doc/protocols.md.
 *
 * The task's stack stays with its thread, the place goes to another one: to a spare, or, if the thread is a guest, to the
 * place's own thread. At the end the thread takes the place back if nobody has begun there; else the stack goes to the
 * global queue as a fiber that can go on, and the thread becomes a spare (or, a guest, waits for its region's end).
 */
#ifndef WSFJ_BLOCKING_BLOCKING_H
#define WSFJ_BLOCKING_BLOCKING_H

#include "base/base.h"

struct wsfj_stack;
struct wsfj_thread;
struct wsfj_worker;

/* If the fiber has no worker, gives it one. Called before the fiber waits for tasks: only a fiber with a worker can. */
void wsfj_blocking_return(struct wsfj_stack *own);

/* The fiber has waited for tasks: if a blocking section is still open, lends the worker's place again. */
void wsfj_blocking_again(struct wsfj_stack *own);

/* Gives away the place that the calling thread has: to the spare, or, a guest's (NULL), to its own thread. The last touch. */
void wsfj_blocking_give(struct wsfj_worker *place, struct wsfj_thread *spare, const struct wsfj_stack *sender);

/* In the loop of the thread that has lent its place: its fiber has left the stack. */
void wsfj_blocking_after_switch(struct wsfj_stack *stack);

#endif
