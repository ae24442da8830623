/* SPDX-License-Identifier: MIT */
/*
 * Guests: threads of the program that serve a worker during a ws_run(). The worker's own thread sleeps meanwhile.
 */
#ifndef WSFJ_API_GUEST_H
#define WSFJ_API_GUEST_H

#include "base/base.h"

struct wsfj_worker;

/* Takes the slot of a sleeping worker and returns the worker, `here` if that sleeps; NULL if none is seen to sleep.
 * `here`: the worker on the caller's processor, or NULL. */
struct wsfj_worker *wsfj_guest_enter(const struct wsfj_worker *here);

/* The guest gives the slot back. */
void wsfj_guest_leave(struct wsfj_worker *worker);

/* The guest lends its slot to the worker's own thread, which is woken and searches. */
void wsfj_guest_lend(struct wsfj_worker *worker);

#endif
