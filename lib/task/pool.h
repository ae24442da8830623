/* SPDX-License-Identifier: MIT */
/*
 * The pool of stacks: a small cache per worker over one list per NUMA node. Taking never blocks for long and fails
 * cleanly: a worker takes a stack before it steals, and without a stack it does not steal.
 *
 * A stack, with its deque, lies on the node of the worker that has made it, for that is who touches its pages first. It
 * goes back to that node's list wherever it has been meanwhile (doc/decisions/0008).
 */
#ifndef WSFJ_TASK_POOL_H
#define WSFJ_TASK_POOL_H

#include "base/base.h"

struct wsfj_stack;

/* A worker's own free stacks. Only the thread that runs the worker touches it. */
struct wsfj_cache {
    struct wsfj_stack *free;
    unsigned count;
    unsigned node; /* the worker's; set at start, then constant */
};

/* Every stack there is, by `next_all`: prepended under the pool's mutex, walked by signal handlers. */
extern struct wsfj_stack *wsfj_pool_stacks;

/* Sets the size of a call stack and the most stacks there may be (0: no limit). `locked`: the deques are WSFJ_MODE_LOCKED. `entry` runs
 * first on a fresh stack, with the stack as its argument. */
void wsfj_pool_start(size_t stack_size, bool locked, size_t most, void (*entry)(void *));

/* Unmaps every stack. Nobody may run on one or look at one any more. */
void wsfj_pool_stop(void);

/* In the child of a fork: the parent's stacks are unmapped at the next start; not now, as most children call exec soon.
 * They never are if the child `runs_on_one`. */
void wsfj_pool_forget(bool runs_on_one);

/* A stack with an empty deque, of the worker's node if there can be one; NULL if there is no memory, or as many stacks as
 * allowed. */
struct wsfj_stack *wsfj_pool_take(struct wsfj_cache *cache);

/* Takes a stack back that nobody runs on. Its deque is empty. */
void wsfj_pool_give(struct wsfj_cache *cache, struct wsfj_stack *stack);

/* Moves a worker's free stacks to the lists for all. */
void wsfj_pool_flush(struct wsfj_cache *cache);

/* The most stacks that have existed at once since the start. */
size_t wsfj_pool_high_water(void);

/* All stacks there are now, linked by next_all: none of them goes before wsfj_pool_stop(). Async-signal-safe. */
struct wsfj_stack *wsfj_pool_all(void);

/* The stack whose guard or call stack contains the address; NULL if none. Async-signal-safe. */
struct wsfj_stack *wsfj_pool_find(const void *address);

#endif
