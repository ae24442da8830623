/* SPDX-License-Identifier: MIT */
/*
 * How many detached tasks and dispatches there have been. Each worker counts its own; threads that serve no worker share
 * a count.
 */
#ifndef WSFJ_WORKER_ITEMS_H
#define WSFJ_WORKER_ITEMS_H

#include "base/base.h"

/* How many detached tasks there have been so far. */
struct wsfj_items {
    uint64_t submitted, finished;
};
struct wsfj_items wsfj_items(void);

/* True while a detached task is pending or running. */
bool wsfj_items_busy(void);

/* At start: no foreign thread has submitted a task. */
void wsfj_items_start(void);

/* A foreign thread has submitted a task and is still counted as a user. */
void wsfj_items_foreign(void);

#endif
