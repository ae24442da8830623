/* SPDX-License-Identifier: MIT */
/* Whether anything waits in a queue. Hints, exact for what was queued before the caller changed the idle counts. */
#ifndef WSFJ_IDLE_WAITING_H
#define WSFJ_IDLE_WAITING_H

#include "base/base.h"

struct wsfj_region;

/* Whether a task waits in a run queue or in the global queue. */
bool wsfj_waiting_items(void);

/* The same, or whether a root or a fiber waits that the guest may not run. */
bool wsfj_waiting_others(const struct wsfj_region *guest);

/* Whether a task waits, or a fiber that has yielded: for the recheck before sleep. */
bool wsfj_waiting_any(void);

#endif
