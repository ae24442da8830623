/* SPDX-License-Identifier: MIT */
/*
 * What a free worker takes from the queues before it steals: tasks of its run queue, queued roots, and tasks and fibers of
 * the global queue. dispatch.c has the order; policy.h says why no queue starves, and why a steal comes first now and then.
 */
#ifndef WSFJ_SCHED_DISPATCH_H
#define WSFJ_SCHED_DISPATCH_H

#include "base/base.h"

struct wsfj_item;
struct wsfj_region;
struct wsfj_stack;
struct wsfj_worker;

/* A stack that is ready to run, or NULL. With `steal` the worker first tries to steal. Not for guests, which run their
 * own region only. */
struct wsfj_stack *wsfj_dispatch(struct wsfj_worker *worker, bool steal);

/* Whether the worker's next dispatch shall first try to steal. */
bool wsfj_dispatch_owes_a_steal(const struct wsfj_worker *worker);

/* The same for a worker that gives way: last it tries the queues of other workers, but never a deque. */
struct wsfj_stack *wsfj_dispatch_anything(struct wsfj_worker *worker);

/* Takes any pending task, for a caller that has no stack for it. False: there is none anywhere. */
bool wsfj_dispatch_item(struct wsfj_worker *worker, struct wsfj_item *item);

/* Takes the next task of the worker's own queue: run-next, but not too often in a row, else the oldest. False: none. */
bool wsfj_dispatch_own_item(struct wsfj_worker *worker, struct wsfj_item *item);

/* Called when log.followed has reached dispatch.check_at. Whether the worker may go on with own tasks: not if a trace is
 * recorded, if a steal is due, or if the common queues are and something waits there. If it may, sets check_at to where
 * one of the two is due next. */
bool wsfj_dispatch_owes_nothing(struct wsfj_worker *worker);

#endif
