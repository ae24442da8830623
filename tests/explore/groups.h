/* SPDX-License-Identifier: MIT */
/* For programs about groups: workers under the scheduler's real loop, with the waiter as a task of worker 0. */
#ifndef TESTS_EXPLORE_GROUPS_H
#define TESTS_EXPLORE_GROUPS_H

#include "awake.h"

enum { TASKS = 2 };

extern ws_group groups_outer, groups_inner;
extern unsigned groups_results[TASKS]; /* how often each task has ended */
extern unsigned groups_counted;        /* for how many of them the waiter waits */
extern unsigned groups_waiters;        /* how many there are; groups_start() says one */
extern bool groups_again,
    groups_stays;        /* the waiter waits for another task afterwards; the group's memory stays a group */
extern bool groups_told; /* the waiter has gone on */

/* In setup: so many workers, and tasks that the waiter counts. */
void groups_start(unsigned workers, unsigned tasks);

/* In setup: worker 0 has so many stacks and the waiter, worker 1 the only task. */
void groups_start_fiber(unsigned stacks);

/* In setup: worker 0 waits in a fiber for worker 1's `task`. */
void groups_start_inside(ws_function *task);

/* In setup: a task in the worker's run queue. */
void groups_push(unsigned worker, ws_function *fn, uintptr_t arg, ws_group *of);

/* A task; its argument is its number. */
void groups_work(void *arg);

/* Who waits, as a foreign thread and as a fiber. */
void groups_wait_outside(void);
void groups_wait_inside(void *arg);

/* At the end: all waiters went on. */
void groups_check(void);

/* Sites of mutants. */
#define DONE "wsfj_group_done", "load", "&group->wsfj_state", EXPLORE_WEAKER, __ATOMIC_RELAXED
#define FINISH "wsfj_group_finish", "cas", "&group->wsfj_state"
#define MUST_WAIT "must_wait", "cas", "&group->wsfj_state"

#endif
