/* SPDX-License-Identifier: MIT */
/* Puts a detached task on a stack, or calls it. All detached tasks belong to one region. */
#ifndef WSFJ_SCHED_LOAD_H
#define WSFJ_SCHED_LOAD_H

#include "task/item.h"

struct wsfj_stack;

/* At start: detached tasks have the floating-point environment of the calling thread. */
void wsfj_load_start(void);

/* Prepares a fresh stack for a detached task. */
void wsfj_load_item(struct wsfj_stack *fresh, struct wsfj_item item);

/* Calls the task on the stack of another one, whose floating-point modes it changes. */
void wsfj_load_call(struct wsfj_item item);

#endif
