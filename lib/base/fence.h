/* SPDX-License-Identifier: MIT */
/*
 * The heavy half of the asymmetric barrier: membarrier(2).
 *
 * The owner of a deque pays only for a compiler barrier. A thief that must be sure that the owner sees a lowered limit
 * or a raised boundary calls wsfj_heavy_barrier(), which runs a full barrier on every running thread of the process.
 * The call takes microseconds and the kernel serialises it: a last resort (deque.c, recheck.c).
 */
#ifndef WSFJ_BASE_FENCE_H
#define WSFJ_BASE_FENCE_H

#include "base/base.h"

/* Registers the process with the kernel. `allowed`: WSFJ_MEMBARRIER. True if the heavy barrier works. */
bool wsfj_heavy_start(bool allowed);

/* What wsfj_heavy_start() returned. */
bool wsfj_heavy_works(void);

/* True if every thread of the process has run a full barrier during this call; false if the kernel refused. */
bool wsfj_heavy_barrier(void);

#endif
