/* SPDX-License-Identifier: MIT */
/*
 * An owner that spawns and syncs as a task's body does, and thieves at its deque: what deque.c and preempt_owner.c
 * share. Each task checks that it runs once.
 *
 * The owner's thread sleeps where the library would switch to another stack.
 */
#ifndef TESTS_EXPLORE_OWNER_H
#define TESTS_EXPLORE_OWNER_H

#include "stacks.h"

extern struct wsfj_stack *owner;
extern unsigned owner_spawned; /* tasks, so far */

extern const struct wsfj_kind *owner_kind; /* of the tasks that thieves take; at first that of owner_task */

WS_DECLARE(long, owner_task, unsigned, id, long, value);

/* In setup: the owner's stack is empty, and no task has run. */
void owner_start(enum wsfj_mode mode);

/* The owner spawns tasks, syncs and checks their results. */
void owner_spawn_one(void);
void owner_spawn_two(void);

/* A thief. With `force` it makes a private task public by itself. */
void owner_steal(bool force);
void owner_force(void);
void owner_force_twice(void);
void owner_steal_twice(void);

/* At the end: the first task, or the first two, have run. */
void owner_check_one(void);
void owner_check_two(void);

#endif
