/* SPDX-License-Identifier: MIT */
/* What waits in a queue: a detached task, or a suspended fiber that has become runnable. */
#ifndef WSFJ_TASK_ITEM_H
#define WSFJ_TASK_ITEM_H

#include "base/base.h"

struct wsfj_stack;

struct wsfj_item {
    ws_function *fn; /* NULL: a fiber, and `arg` is its stack */
    void *arg;
    ws_group *group; /* or NULL; of a fiber WSFJ_ITEM_FIBER, which is no task's group */
};
#define WSFJ_ITEM_FIBER ((ws_group *)1)

static inline struct wsfj_stack *wsfj_item_fiber(struct wsfj_item item)
{
    return item.fn ? NULL : (struct wsfj_stack *)item.arg;
}

/* For ThreadSanitizer: what the submitter did comes before what the task does. */
void wsfj_item_release(const struct wsfj_item *item);
void wsfj_item_acquire(const struct wsfj_item *item);

#endif
