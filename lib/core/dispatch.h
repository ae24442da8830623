/* SPDX-License-Identifier: MIT */
/*
 * What a worker runs next when it is free and need not steal: its run-next slot and ring, queued roots, the global
 * queue. In which order, and how none of them starves, is said in dispatch.c.
 */
#ifndef WSFJ_CORE_DISPATCH_H
#define WSFJ_CORE_DISPATCH_H

#include "base/base.h"

struct wsfj_item;
struct wsfj_region;
struct wsfj_stack;
struct wsfj_worker;

/* Something to run, ready on a stack, or NULL. With `steal` it first tries to steal. Only a worker's own thread
 * (a guest runs its own region only). */
struct wsfj_stack *wsfj_dispatch(struct wsfj_worker *worker, bool steal);

/* The same for a worker that gives way: it also looks at the queues of other workers, last, but never at a deque. */
struct wsfj_stack *wsfj_dispatch_anything(struct wsfj_worker *worker);

/* Any pending task, to be called where no stack is to be had. False: there is none anywhere. */
bool wsfj_dispatch_item(struct wsfj_worker *worker, struct wsfj_item *item);

/* Prepares a fresh stack for a detached task. */
void wsfj_dispatch_load(struct wsfj_stack *fresh, struct wsfj_item item);

/* Calls it on the stack of somebody else, whose floating-point modes it changes. */
void wsfj_dispatch_call(struct wsfj_item item);

/* Any task in a ring or in the global queue. */
bool wsfj_dispatch_has_items(void);

/* The same, or a root or a strand that the guest may not run. */
bool wsfj_dispatch_has_others(const struct wsfj_region *guest);

/* A task, or a strand that has yielded: for the last look before sleep. */
bool wsfj_dispatch_pending(void);

/* How many detached tasks there have been so far. */
struct wsfj_items {
    uint64_t submitted, finished;
};
struct wsfj_items wsfj_dispatch_tally(void);

/* True while a detached task is pending or running. */
bool wsfj_dispatch_busy(void);

/* A detached task is done; before its group hears of it, so that ws_fini() may follow ws_group_wait(). */
void wsfj_dispatch_finished(struct wsfj_worker *worker);

/* At start: detached tasks have the floating-point environment of the calling thread. */
void wsfj_dispatch_start(void);

/* A foreign thread has submitted a task, and is still inside the runtime. */
void wsfj_dispatch_count_foreign(void);

#endif
