/* SPDX-License-Identifier: MIT */
/*
 * For programs about giving way: workers search, or work until they are told to stop; tasks wait in queues; the last
 * explored thread is the one of lib/idle/preempt.c. An error shows as a deadlock: a queued task waits while that thread
 * rests and no worker is idle, or a worker waits in vain for a request.
 */
#ifndef TESTS_EXPLORE_BUSY_H
#define TESTS_EXPLORE_BUSY_H

#include "stacks.h"
#include "worker/worker.h"

enum { BUSY = 2 };

extern struct wsfj_worker busy[BUSY];
extern struct wsfj_stack *busy_stack; /* of the worker that works */
extern struct wsfj_stack *busy_fresh; /* for the next task of worker 1 */
extern size_t busy_roots;             /* what wsfj_root_length() returns */

/* The preempter looks outside: the fiber that runs goes on. */
void busy_look(void);

/* In setup: no task waits and the preempter rests. `searching` workers search, the others work; `tasks` will come. */
void busy_start(unsigned searching, unsigned tasks, unsigned threads);

/* In setup: the preempter watches already. */
void busy_start_preempter(void);

/* The preempter's thread. */
void busy_preempter(void);

/* Called by a task that has run. */
void busy_has_run(void);

/* Runs all queued tasks and fibers. */
void busy_run_queued(struct wsfj_worker *worker);

/* Sleeps until n tasks have run. */
void busy_wait(unsigned n);

/* The worker works until all tasks have run. When it is requested it gives way. */
void busy_work(struct wsfj_worker *worker);

/* Sleeps until ws_config.poll has been called. */
void busy_wait_for_poll(void);

/* Ends the preempter. */
void busy_end(void);

#endif
