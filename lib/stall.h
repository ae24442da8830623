/* SPDX-License-Identifier: MIT */
/*
 * Whether anything moves (WSFJ_WATCHDOG): seen by looking again and again at what is counted anyway. A move is: a strand
 * begins, goes on, is suspended, or ends; tasks are submitted or finished; what a running strand has spawned becomes more
 * or less. Not seen: children that a sync calls, if each look finds as many of them pending.
 */
#ifndef WSFJ_STALL_H
#define WSFJ_STALL_H

#include "base.h"

/* Before the first look. False if there is no memory. */
bool wsfj_stall_start(unsigned workers, uint64_t now);
void wsfj_stall_stop(void);

/* Looks, at a time by wsfj_now(). For how many nanoseconds nothing has moved though there is unfinished work; 0: it moves,
 * or there is none. */
uint64_t wsfj_stall_look(uint64_t now);

/* For how long the worker has been seen running the strand that it runs now, without a break; 0: not at all. */
uint64_t wsfj_stall_runs(unsigned worker, uint64_t now);

#endif
