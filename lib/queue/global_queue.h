/* SPDX-License-Identifier: MIT */
/*
 * The global queue: detached tasks from foreign threads or from full run queues, and fibers that have yielded. Two
 * first-in-first-out queues under one mutex; workers take from them alternately.
 */
#ifndef WSFJ_QUEUE_GLOBAL_QUEUE_H
#define WSFJ_QUEUE_GLOBAL_QUEUE_H

#include "base/atomic.h"
#include "base/base.h"

struct wsfj_run_queue;
struct wsfj_item;
struct wsfj_region;
struct wsfj_stack;

extern WSFJ_HIDDEN size_t wsfj_global_items, wsfj_global_fibers; /* written under the queue's mutex */

/* Room for `capacity` tasks. False if there is no memory. */
bool wsfj_global_queue_start(size_t capacity);

/* Frees the queue, which no thread may use any more. */
void wsfj_global_queue_stop(void);

/* In the child of a fork: empties the queue and makes its mutex anew. */
void wsfj_global_queue_forget(void);

/* Adds a task. Without room: returns false, or with `wait` sleeps until there is room. */
bool wsfj_global_queue_put(struct wsfj_item item, bool wait);

/* Owner of the run queue: moves its older half here if the run queue is full. *moved: how many tasks, 0 if thieves were
 * faster. False if there is no room. */
bool wsfj_global_queue_overflow(struct wsfj_run_queue *queue, unsigned *moved);

/* Adds a runnable fiber. There is always room. */
void wsfj_global_queue_put_fiber(struct wsfj_stack *stack);

/* Takes the oldest fiber; with `guest` the oldest unpinned one of that region, which a guest may run. NULL: none. */
struct wsfj_stack *wsfj_global_queue_take_fiber(const struct wsfj_region *guest);

/* True if there is a fiber that this guest may not run. */
bool wsfj_global_queue_has_others(const struct wsfj_region *guest);

/* Takes the oldest tasks: the share of one of `workers` workers, at most `most`. Returns how many. */
unsigned wsfj_global_queue_take(struct wsfj_item *items, unsigned most, unsigned workers);

/* The numbers of tasks and of fibers. A hint. */
struct wsfj_global_queue_length {
    size_t items, fibers;
};
struct wsfj_global_queue_length wsfj_global_queue_length(void);

/* By sequentially consistent loads: for the recheck before a worker sleeps. */
static inline bool wsfj_global_queue_has_items(void)
{
    return load_seq(&wsfj_global_items) > 0;
}

static inline bool wsfj_global_queue_has_fibers(void)
{
    return load_seq(&wsfj_global_fibers) > 0;
}

#endif
