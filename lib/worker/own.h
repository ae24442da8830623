/* SPDX-License-Identifier: MIT */
/* Which stack the calling task runs on. */
#ifndef WSFJ_WORKER_OWN_H
#define WSFJ_WORKER_OWN_H

struct wsfj_stack;

/* The stack of the calling task, or NULL outside. */
struct wsfj_stack *wsfj_own_stack(void);

/* The same if a worker serves the task: NULL outside, and in a blocking section, where the task has no worker. */
struct wsfj_stack *wsfj_own_served(void);

#endif
