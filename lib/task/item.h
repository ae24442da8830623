/* SPDX-License-Identifier: MIT */
/* A detached task that waits in a queue. */
#ifndef WSFJ_TASK_ITEM_H
#define WSFJ_TASK_ITEM_H

#include "base/base.h"

/* `fn` NULL: no task. */
struct wsfj_item {
    ws_function *fn;
    void *arg;
    ws_group *group; /* or NULL */
};

/* For ThreadSanitizer: what the submitter did comes before what the task does. */
void wsfj_item_release(const struct wsfj_item *item);
void wsfj_item_acquire(const struct wsfj_item *item);

#endif
