/* SPDX-License-Identifier: MIT */
/*
 * The heavy half of the asymmetric barrier: membarrier(2).
 *
 * The owner of a deque pays a compiler barrier only; whoever wants to be sure that it has seen a lowered limit or a
 * raised boundary calls wsfj_heavy_barrier(), which puts a full barrier on every running thread of the process.
 * Rule: expensive (micro-seconds) and serialised in the kernel: a last resort, see deque.c and recheck.c.
 */
#ifndef WSFJ_BASE_FENCE_H
#define WSFJ_BASE_FENCE_H

#include "base/base.h"

/* Registers the process. `allowed` is WSFJ_MEMBARRIER. Returns whether the heavy barrier works here. */
bool wsfj_heavy_start(bool allowed);

/* Whether the heavy barrier works, as found by wsfj_heavy_start(). */
bool wsfj_heavy_works(void);

/* True if every thread of the process has passed a full barrier during this call; false if the kernel refused. */
bool wsfj_heavy_barrier(void);

#endif
