/* SPDX-License-Identifier: MIT */
/*
 * How work enters: ws_run() from ordinary threads. The caller takes a sleeping worker's place and runs the root itself;
 * with no place free the root is queued for any worker, and the caller sleeps.
 */
#ifndef WSFJ_API_RUN_H
#define WSFJ_API_RUN_H

#include "task/region.h"

/* True if a root waits in the queue. Ordered against recheck.c: pushed before the sleepers are looked for. */
bool wsfj_root_pending(void);

/* How many wait in the queue. A hint. */
size_t wsfj_root_length(void);

/* The oldest queued region; NULL if there is none. */
struct wsfj_region *wsfj_root_pop(void);

/* Tells the caller of ws_run() what has become of its region, which may be gone when this returns. */
void wsfj_root_finish(struct wsfj_region *region, enum wsfj_region_state state);

/* Forgets the queue's lock: for the child of a fork. */
void wsfj_root_reset(void);

#endif
