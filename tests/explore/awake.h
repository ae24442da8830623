/* SPDX-License-Identifier: MIT */
/*
 * For programs about what fibers wait for: workers under the scheduler's real loop that never sleep, with free stacks
 * of their own. An error shows as a wrong result, a race, or an execution that does not end.
 */
#ifndef TESTS_EXPLORE_AWAKE_H
#define TESTS_EXPLORE_AWAKE_H

#include "blocking/spare.h"
#include "worker/worker.h"
#include "pools.h"

enum { AWAKE = 3 };

extern struct wsfj_worker awake[AWAKE];
extern struct wsfj_thread awake_threads[AWAKE];

/* In setup: so many workers, without stacks. */
void awake_start(unsigned workers);

/* Parents may wait a moment for their children (short_wait.c). awake_start() says false. */
extern bool awake_may_wait;

/* Thread i serves worker i until the workers are stopped. */
void awake_serve(void);

#endif
