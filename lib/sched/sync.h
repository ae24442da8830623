/* SPDX-License-Identifier: MIT */
/* The wait of a parent at its sync (sync.c), for the simulator, which has other waits for comparison. */
#ifndef WSFJ_SCHED_SYNC_H
#define WSFJ_SCHED_SYNC_H

#include <stdint.h>

struct wsfj_stack;

/* The parent leaves its worker until the last of these children has arrived. */
void wsfj_sync_suspend(struct wsfj_stack *own, uint32_t children);

#endif
