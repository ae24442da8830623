/* SPDX-License-Identifier: MIT */
/* Which stack the calling task runs on. */
#ifndef WSFJ_WORKER_OWN_H
#define WSFJ_WORKER_OWN_H

#include <stdbool.h>

struct wsfj_stack;

/* The stack of the calling task, or NULL outside. */
struct wsfj_stack *wsfj_own_stack(void);

/* The same if a worker serves the task: NULL outside, and in a blocking section, where the task has no worker. */
struct wsfj_stack *wsfj_own_served(void);

/* Whether the calling thread, the runtime's, runs no task. A task outside regions that it calls does not count. */
bool wsfj_own_is_between_tasks(void);

#endif
