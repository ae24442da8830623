/* SPDX-License-Identifier: MIT */
/*
 * For the programs about turns: workers that search or work without an end, tasks that wait, and the thread of lib/core/preempt.c,
 * which is the last explored one. A task that lies while that thread rests and no worker is idle is a deadlock, or a worker
 * that waits in vain for a request.
 */
#ifndef TESTS_EXPLORE_BUSY_H
#define TESTS_EXPLORE_BUSY_H

#include "stacks.h"
#include "core/worker.h"

enum { BUSY = 2 };

extern struct wsfj_worker busy[BUSY];
extern struct wsfj_stack *busy_stack; /* of the one that works */

/* In setup: nothing waits and nobody looks. So many workers search, the others work. So many tasks are to come. */
void busy_start(unsigned searching, unsigned tasks, unsigned threads);

/* In setup: the thread looks already. */
void busy_look(void);

/* That thread. */
void busy_looker(void);

/* A task has run. */
void busy_has_run(void);

/* Sleeps until so many have. */
void busy_wait(unsigned n);

/* The worker works until all tasks have run, and gives turns when it is asked. */
void busy_work(struct wsfj_worker *worker);

/* Sleeps until the program has been asked for work (ws_config.poll). */
void busy_wait_for_poll(void);

/* All is over: the thread ends. */
void busy_end(void);

#endif
