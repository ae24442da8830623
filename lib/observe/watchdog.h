/* SPDX-License-Identifier: MIT */
/*
 * Whether anything moves (WSFJ_WATCHDOG). Again and again, the watching thread compares what is counted anyway.
 * Something moves if a fiber begins, is suspended, resumes or ends; if a blocking section opens or closes; if tasks are
 * submitted or finished; if a fiber has more or fewer pending children. A yield is no move: tasks that only yield to
 * each other are stuck, but busy. Tasks that all wait are no stall if something outside may end a wait: a time, a
 * descriptor, a poll source, or a thread of the program that does not wait for tasks; but those that wait for each other's
 * mutexes are. Not seen: what a task computes between two moves; children that a sync calls, if the same number is pending
 * each time.
 */
#ifndef WSFJ_OBSERVE_WATCHDOG_H
#define WSFJ_OBSERVE_WATCHDOG_H

#include "base/base.h"

/* Before the first comparison. False if there is no memory. */
bool wsfj_watchdog_start(unsigned workers, uint64_t now);
void wsfj_watchdog_stop(void);

/* Compares; `now` by wsfj_now(). Returns for how many nanoseconds nothing has moved although there is unfinished work,
 * without the last `missed` ones, in which the watching thread itself did not run. 0: something has moved, or there is
 * no work. */
uint64_t wsfj_watchdog_check(uint64_t now, uint64_t missed);

/* For how many nanoseconds one thread has been in a poll source, as far as that has been seen, without those missed ones. */
uint64_t wsfj_watchdog_source(uint64_t now, uint64_t missed);

/* How often tasks have yielded since the last move. */
uint64_t wsfj_watchdog_yields(void);

/* Whether all tasks waited at the last comparison, and nothing was queued. */
bool wsfj_watchdog_all_wait(void);

/* For how long the worker has been seen running its present fiber without a break; 0: not yet seen. */
uint64_t wsfj_watchdog_runs(unsigned worker, uint64_t now);

#endif
