/* SPDX-License-Identifier: MIT */
/*
 * How many of the workers may run: no more than there are CPUs for. At start there is a worker for each; what masks and
 * quotas become later is looked at by whoever passes by when a second is over: before a worker parks, while it
 * searches, in ws_run(). An idle runtime looks at its next use. Workers that are not allowed are surplus: they retire
 * when they have nothing at hand (retire.c, PARK-7).
 *
 * It counts the CPUs in the masks of the workers' threads and of the process's first thread, all taken together, for a
 * program may bind its own threads without meaning ours; taskset -a and cpusets reach ours. And the quota of the
 * control groups.
 */
#ifndef WSFJ_IDLE_CPU_LIMIT_H
#define WSFJ_IDLE_CPU_LIMIT_H

#include "base/base.h"

/* For tests, which set them before the runtime starts: the directory that stands for /, nanoseconds between two
 * looks. */
extern const char *wsfj_cpu_limit_root;
extern uint64_t wsfj_cpu_limit_period;

/* Says what counts from now on: masks and quota, masks only, or nothing: all workers may always run. */
enum wsfj_cpu_limit { WSFJ_CPU_LIMIT_FIXED, WSFJ_CPU_LIMIT_MASKS, WSFJ_CPU_LIMIT_QUOTA };

/* One thread at a time, while the runtime is down. The whole CPUs of the quota as it is now; WSFJ_CGROUP_NONE if there
 * is no limit, or it does not count. */
unsigned wsfj_cpu_limit_open(enum wsfj_cpu_limit what);

/* The workers are there, their threads not yet: all may run, nobody looks. */
void wsfj_cpu_limit_start(unsigned workers);

/* Their threads are there, too: looks may begin. */
void wsfj_cpu_limit_follow(void);

/* Looks if it is time and nobody else is at it. A few nanoseconds else. Needs little stack, leaves errno as it was, is
 * no point of cancellation. Any thread that is inside the runtime. */
void wsfj_cpu_limit_check(void);

/* Lets the first `workers` workers run from now on. The others retire; those that sleep retire without being woken.
 * Retired ones among the first become sleepers again. One thread at a time: the looks call this, and tests that have no
 * looks. */
void wsfj_cpu_limit_change(unsigned workers);

/* Whether the worker with this number may run. The others must not begin anything new; by sequentially consistent load
 * (PARK-7). */
bool wsfj_cpu_limit_allows(unsigned worker);

#endif
