/* SPDX-License-Identifier: MIT */
/*
 * The recheck around, which whoever leaves nobody searching must take (PARK-2, step 4 in park.h).
 */
#ifndef WSFJ_IDLE_RECHECK_H
#define WSFJ_IDLE_RECHECK_H

#include "base/base.h"

/* Without the heavy barrier a sleeper cannot be sure that it saw every spawn: the last one looks again this often
 * while tasks run. In nanoseconds. */
#define WSFJ_RECHECK_BLIND_NS 1000000

/* PARK-2: asks every running stack to speak up at its next spawn, then looks whether there is work: a spawn that came
 * before, a root, a detached task. */
bool wsfj_recheck(void);

/* Whether any worker runs a stack. */
bool wsfj_recheck_anything_runs(void);

/* The same, or a suspended deque is listed, whose task may spawn in its blocking section. */
bool wsfj_recheck_anything_spawns(void);

#endif
