/* SPDX-License-Identifier: MIT */
/*
 * Whether anything moves (WSFJ_WATCHDOG): the watching thread compares, look by look, what is counted anyway. Something moves
 * if a strand begins, is suspended, goes on, or ends; if a bracket opens or closes; if tasks are submitted or finished; if a
 * strand has more or fewer pending children. A yield is no move: tasks that only yield to each other are stuck, but busy.
 * Not seen: what a task computes between two moves; children that a sync calls, if each look finds as many of them pending.
 */
#ifndef WSFJ_OBSERVE_WATCHDOG_H
#define WSFJ_OBSERVE_WATCHDOG_H

#include "base/base.h"

/* Before the first look. False if there is no memory. */
bool wsfj_watchdog_start(unsigned workers, uint64_t now);
void wsfj_watchdog_stop(void);

/* Looks, at a time by wsfj_now(). For how many nanoseconds nothing has moved though there is unfinished work; 0: it moves,
 * or there is none. */
uint64_t wsfj_watchdog_look(uint64_t now);

/* How often tasks have yielded since the last move. */
uint64_t wsfj_watchdog_yields(void);

/* For how long the worker has been seen running the strand that it runs now, without a break; 0: not at all. */
uint64_t wsfj_watchdog_runs(unsigned worker, uint64_t now);

#endif
