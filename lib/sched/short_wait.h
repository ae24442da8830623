/* SPDX-License-Identifier: MIT */
/*
 * A short wait: a parent at its sync whose last stolen children may be about to end (JOIN-4). The parent keeps its worker for at
 * most about as long as a suspension with its resumption takes, so it never loses more than that, and what it waited for
 * is in this worker's cache. Neighbour: sync.c, which suspends the parent if the wait was in vain.
 */
#ifndef WSFJ_SCHED_SHORT_WAIT_H
#define WSFJ_SCHED_SHORT_WAIT_H

#include "base/base.h"

struct wsfj_descriptor;
struct wsfj_stack;

/* Called before the parent is registered with its children in [base, desc]. True: all are done. False: the parent has waited
 * in vain, or may not wait now. */
bool wsfj_short_wait(struct wsfj_stack *own, const struct wsfj_descriptor *base, const struct wsfj_descriptor *desc);

#endif
