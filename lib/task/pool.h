/* SPDX-License-Identifier: MIT */
/*
 * The pool of stacks: a small cache for each worker; for each NUMA node one warm stack, which is exchanged without a
 * lock, and a list. Taking a stack never blocks for long, and it may fail: a worker takes a stack before it steals, and
 * without a stack it does not steal.
 *
 * A stack, with its deque, lies on the node of the worker that has made it, because that worker touches its pages
 * first. It always returns to that node's list (doc/decisions/0008).
 */
#ifndef WSFJ_TASK_POOL_H
#define WSFJ_TASK_POOL_H

#include "base/base.h"

struct wsfj_stack;

/* A worker's own free stacks. Only the thread that runs the worker touches it. */
struct wsfj_cache {
    struct wsfj_stack *free;
    unsigned count;
    unsigned node; /* the worker's; its thread's while that may use others (worker/reach.c) */
};

/* All stacks, linked by `next_all`: prepended under the pool's mutex, walked by signal handlers. */
extern struct wsfj_stack *wsfj_pool_stacks;

/* Sets the size of a call stack and the largest number of stacks (0: no limit). `locked`: the deques are in
 * WSFJ_MODE_LOCKED. `entry` runs first on a fresh stack, with the stack as its argument. */
void wsfj_pool_start(size_t stack_size, bool locked, size_t most, void (*entry)(void *));

/* Unmaps every stack. No thread may run on a stack or read one any more. */
void wsfj_pool_stop(void);

/* Around a fork(), in the parent: a stack is mapped and listed in one step, so that the child finds it. fork() waits some
 * tenths of a second for the holder of the lock, and then goes without: a signal handler that forks may have interrupted it. */
void wsfj_pool_hold(void);
void wsfj_pool_release(void);

/* In the child of a fork: the next start unmaps the parent's stacks; not this call, because most children call exec
 * soon. If the child `runs_on_one`, they are never unmapped. */
void wsfj_pool_forget(bool runs_on_one);

/* A stack with an empty deque, on the worker's node if possible; NULL if there is no memory or the limit is reached. */
struct wsfj_stack *wsfj_pool_take(struct wsfj_cache *cache);

/* Takes back a stack on which no fiber runs, with an empty deque. */
void wsfj_pool_give(struct wsfj_cache *cache, struct wsfj_stack *stack);

/* Takes back a free stack past the caches, so that every worker of its node can take it. */
void wsfj_pool_share(struct wsfj_stack *stack);

/* Does that with all stacks of a worker's cache. */
void wsfj_pool_share_all(struct wsfj_cache *cache);

/* Moves a worker's free stacks, if it has any, to where every worker finds them. */
static inline void wsfj_pool_flush(struct wsfj_cache *cache)
{
    if (cache->free)
        wsfj_pool_share_all(cache);
}

/* The largest number of stacks at once since the start. */
size_t wsfj_pool_high_water(void);

/* The list of all stacks, linked by next_all. They stay until wsfj_pool_stop(). Async-signal-safe. */
struct wsfj_stack *wsfj_pool_all(void);

#endif
