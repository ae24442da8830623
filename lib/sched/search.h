/* SPDX-License-Identifier: MIT */
/* The search of a worker that has nothing to run: round by round through the queues and its victims, with pauses. */
#ifndef WSFJ_SCHED_SEARCH_H
#define WSFJ_SCHED_SEARCH_H

#include "base/base.h"

struct wsfj_region;
struct wsfj_server;
struct wsfj_stack;

/* Searches until there is something to run, and returns its stack. NULL: the worker is surplus, or its patience, in
 * nanoseconds, is over and the program has no work (ws_config.poll), or the runtime stops; a guest: its region or others
 * need the slot's thread. */
struct wsfj_stack *wsfj_search(struct wsfj_server *self, struct wsfj_region *guest, uint64_t patience);

#endif
