/* SPDX-License-Identifier: MIT */
/*
 * Guests: threads of the program that serve a worker for the time of a ws_run(). Such a worker's own thread sleeps
 * meanwhile.
 */
#ifndef WSFJ_API_GUEST_H
#define WSFJ_API_GUEST_H

#include "base/base.h"

struct wsfj_worker;

/* Takes the place of a sleeping worker, that on the caller's processor if possible; NULL if it sees none. */
struct wsfj_worker *wsfj_guest_enter(void);

/* The guest gives the place back. */
void wsfj_guest_leave(struct wsfj_worker *worker);

/* The guest has lent its place to the place's own thread, which is woken and searches. */
void wsfj_guest_lend(struct wsfj_worker *worker);

#endif
