/* SPDX-License-Identifier: MIT */
/*
 * The thief: one round over the victims that are awake, and how long it waits for an owner to answer before it forces. A
 * thief peeks without a lock, and takes a stack only when a victim seems to have a task. What happens in the victim's deque
 * is in deque.c, the order of the victims in victim.c.
 */
#ifndef WSFJ_SCHED_STEAL_H
#define WSFJ_SCHED_STEAL_H

#include "base/base.h"

struct wsfj_region;
struct wsfj_stack;
struct wsfj_worker;

/* One search over the victims that are awake, for a task of region `only` unless that is NULL. Returns a stack that is
 * ready to run it, or of a parent whose last child this worker has dropped; NULL: nothing found. */
struct wsfj_stack *wsfj_steal(struct wsfj_worker *worker, const struct wsfj_region *only);

#endif
