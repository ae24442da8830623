/* SPDX-License-Identifier: MIT */
/*
 * The recheck: the worker whose sleep leaves no worker searching looks for work everywhere once more (PARK-2, step 4 in
 * park.h). It visits the workers in the awake set (PARK-11).
 */
#ifndef WSFJ_IDLE_RECHECK_H
#define WSFJ_IDLE_RECHECK_H

#include "base/base.h"

/* PARK-2: asks every running stack to make its next spawn known. Returns whether there is work: a task that was spawned
 * before, a root, a detached task. */
bool wsfj_recheck(void);

/* Whether any worker runs a stack. */
bool wsfj_recheck_anything_runs(void);

/* The same, or whether a suspended deque is listed, whose task may spawn in its blocking section. */
bool wsfj_recheck_anything_spawns(void);

#endif
