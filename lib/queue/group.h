/* SPDX-License-Identifier: MIT */
/*
 * Groups of detached tasks. The state counts the tasks in its upper bits; bit 0 says that somebody waits. One waiter at
 * a time: a strand, suspended, or a foreign thread, asleep. Labels GROUP-n: doc/protocols.md.
 */
#ifndef WSFJ_QUEUE_GROUP_H
#define WSFJ_QUEUE_GROUP_H

#include "base/base.h"

struct wsfj_stack;

/* One task more, before it can start. */
void wsfj_group_add(ws_group *group);

/* A task is done, and nothing of the group may be touched after. A strand to resume, or NULL. `group` may be NULL. */
struct wsfj_stack *wsfj_group_finish(ws_group *group);

/* Claims the place of the waiter. False if somebody has it. */
bool wsfj_group_claim(ws_group *group, struct wsfj_stack *own);

/* The waiter has left its stack: the stack, if all is done already and it can go on. */
struct wsfj_stack *wsfj_group_left(struct wsfj_stack *stack);

/* True if no task is left; all they did happens before. */
bool wsfj_group_done(const ws_group *group);

/* Waits as a foreign thread. 0 or EBUSY. */
int wsfj_group_wait_outside(ws_group *group);

#endif
