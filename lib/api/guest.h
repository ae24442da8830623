/* SPDX-License-Identifier: MIT */
/*
 * Guests: threads of the program that serve a worker during a ws_run(). The worker's own thread sleeps meanwhile.
 */
#ifndef WSFJ_API_GUEST_H
#define WSFJ_API_GUEST_H

#include "base/base.h"

struct wsfj_worker;

/* Takes a slot and returns its worker: the worker on the caller's processor if that sleeps or offers its slot (PARK-8),
 * else one that sleeps. NULL if the counts show no sleeper, or if the worker on the caller's processor searches and
 * can take the root itself. Where no worker may run on the caller's processor, any slot that is offered will do. */
struct wsfj_worker *wsfj_guest_enter(void);

/* The guest gives the slot back. */
void wsfj_guest_leave(struct wsfj_worker *worker);

#endif
