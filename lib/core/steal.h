/* SPDX-License-Identifier: MIT */
/*
 * The thief: one round over all victims, and how long it waits for an owner to answer before it forces. What happens in
 * the victim's deque is in deque.c, whom to try next in victim.c.
 */
#ifndef WSFJ_CORE_STEAL_H
#define WSFJ_CORE_STEAL_H

#include "base/base.h"

struct wsfj_region;
struct wsfj_stack;
struct wsfj_worker;

/* Prepares a stack for a task or root; its deque is empty and nobody looks at it. NULL: none to be had. */
struct wsfj_stack *wsfj_steal_fresh_stack(struct wsfj_worker *worker);

/* One round over all victims, of region `only` unless NULL. A stolen task comes ready to run; NULL: nothing found. */
struct wsfj_stack *wsfj_steal(struct wsfj_worker *worker, const struct wsfj_region *only);

#endif
