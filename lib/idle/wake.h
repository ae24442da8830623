/* SPDX-License-Identifier: MIT */
/* Who wakes sleepers, and how many. The rules, and why no wake-up is lost: park.h. */
#ifndef WSFJ_IDLE_WAKE_H
#define WSFJ_IDLE_WAKE_H

#include "base/base.h"

struct wsfj_stack;
struct wsfj_worker;

/* Makes a sleeper, near the worker `near` if that is not NULL, a searcher and returns it. NULL if `most` workers search already
 * or none sleeps. */
struct wsfj_worker *wsfj_wake_one(const struct wsfj_worker *near, unsigned most);

/* There may be new work: wakes one sleeper if no worker searches. `self`: the worker whose thread calls, or NULL. */
void wsfj_wake_notify(struct wsfj_worker *self);

/* A searcher has found work and ceases to search. Wakes sleepers, two at most, as long as fewer search than may. */
void wsfj_wake_found(struct wsfj_worker *self);

/* After a sleeper is counted: wakes a sleeper if there is work and no worker searches. */
void wsfj_wake_recheck(void);

/* Wakes all sleepers. */
void wsfj_wake_rouse(void);

/* The worker has published the stack it is going to run: hands a pending request over to it (PARK-3). */
void wsfj_wake_carry_over(struct wsfj_stack *stack);

#endif
