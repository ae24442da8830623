/* SPDX-License-Identifier: MIT */
/* Roots of regions that wait for a worker, because their callers could not serve one (run.c): a list under a mutex. */
#ifndef WSFJ_QUEUE_ROOT_H
#define WSFJ_QUEUE_ROOT_H

#include "base/atomic.h"
#include "task/region.h"

extern WSFJ_HIDDEN size_t wsfj_roots; /* how many wait in the queue; written under its mutex */

/* True if a root waits in the queue. A root is pushed before its caller reads the idle counts (recheck.c). */
static inline bool wsfj_root_pending(void)
{
    return load_seq(&wsfj_roots) > 0;
}

/* How many roots wait in the queue. A hint. */
size_t wsfj_root_length(void);

/* Queues a region. The caller then makes that known. */
void wsfj_root_push(struct wsfj_region *region);

/* The oldest queued region; NULL if there is none. */
struct wsfj_region *wsfj_root_pop(void);

/* Tells the caller of ws_run() what has become of its region, which may be gone when this returns. */
void wsfj_root_finish(struct wsfj_region *region, enum wsfj_region_state state);

/* In the child of a fork: empties the queue and makes its lock anew. */
void wsfj_root_reset(void);

#endif
