/* SPDX-License-Identifier: MIT */
#ifndef WSFJ_SYNC_SEMAPHORE_H
#define WSFJ_SYNC_SEMAPHORE_H

#include "wait/waiter.h"

/* For a waiter: the node that waits until there is a unit. It takes none. */
struct wsfj_node wsfj_semaphore_node(const ws_semaphore *semaphore);

#endif
