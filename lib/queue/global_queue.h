/* SPDX-License-Identifier: MIT */
/*
 * The global queue: detached tasks that came from foreign threads or did not fit into a worker's ring, and strands that
 * have yielded. Two first-in-first-out queues under one mutex; the takers take from them in turn.
 */
#ifndef WSFJ_QUEUE_GLOBAL_QUEUE_H
#define WSFJ_QUEUE_GLOBAL_QUEUE_H

#include "base/base.h"

struct wsfj_run_queue;
struct wsfj_item;
struct wsfj_region;
struct wsfj_stack;

/* Room for `capacity` tasks. False if there is no memory. */
bool wsfj_global_queue_start(size_t capacity);

/* Nobody uses the queue any more. */
void wsfj_global_queue_stop(void);

/* In the child of a fork: nobody uses it, and what the parent's threads did with it is undone. */
void wsfj_global_queue_forget(void);

/* Adds a task; false if there is no room and `wait` is false. With `wait` a thread sleeps until there is room. */
bool wsfj_global_queue_put(struct wsfj_item item, bool wait);

/* Moves the older half of a worker's full ring here: so many, 0 if thieves were faster. False if there is no room for it.
 * Only the ring's owner. */
bool wsfj_global_queue_overflow(struct wsfj_run_queue *ring, unsigned *moved);

/* Adds a strand that can go on any time. There is always room. */
void wsfj_global_queue_put_fiber(struct wsfj_stack *stack);

/* The oldest strand, or the oldest that a guest may run: of its region `guest`, and not pinned. NULL if there is none. */
struct wsfj_stack *wsfj_global_queue_take_fiber(const struct wsfj_region *guest);

/* Whether there is a strand that such a guest may not run. */
bool wsfj_global_queue_has_others(const struct wsfj_region *guest);

/* Takes the oldest tasks: a fair share for one of `workers`, at most `most`. How many. */
unsigned wsfj_global_queue_take(struct wsfj_item *items, unsigned most, unsigned workers);

/* How many wait there. A hint. */
struct wsfj_global_queue_length {
    size_t items, strands;
};
struct wsfj_global_queue_length wsfj_global_queue_length(void);

/* By sequentially consistent loads: for the last look before sleep. */
bool wsfj_global_queue_has_items(void);
bool wsfj_global_queue_has_fibers(void);

#endif
