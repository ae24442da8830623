/* SPDX-License-Identifier: MIT */
/*
 * How many of the workers may run: no more than there are CPUs for. At the start there is a worker for each CPU that
 * the first thread or the starting thread has (team_cpus.h). Masks and quota may change later: a thread that comes here
 * more than a second after the last time reads them again, before a worker parks, while it searches, and in ws_run().
 * An idle runtime reads them at its next use. Workers that may not run are surplus: they retire when they have nothing
 * at hand (retire.c, PARK-7).
 *
 * The number of CPUs is that of the masks of the workers' threads and of the process's first thread, all taken
 * together: a program may bind its own threads and mean only those, while taskset -a and cpusets reach all. The quota
 * of the control groups limits it further.
 */
#ifndef WSFJ_IDLE_CPU_LIMIT_H
#define WSFJ_IDLE_CPU_LIMIT_H

#include "base/atomic.h"
#include "base/base.h"

#define WSFJ_CPU_LIMIT_NEVER UINT64_MAX
extern WSFJ_HIDDEN uint64_t wsfj_cpu_limit_next; /* when masks and quota are read again; NEVER also while a thread reads */

/* For tests, which set them before the runtime starts: the directory that stands for /, nanoseconds between two
 * readings. */
extern const char *wsfj_cpu_limit_root;
extern uint64_t wsfj_cpu_limit_period;

/* What limits the workers: nothing (all may always run), masks, or masks and quota. */
enum wsfj_cpu_limit { WSFJ_CPU_LIMIT_FIXED, WSFJ_CPU_LIMIT_MASKS, WSFJ_CPU_LIMIT_QUOTA };

/* Sets what limits the workers. Returns the whole CPUs of the quota as it is now; WSFJ_CGROUP_NONE if there is no
 * quota, or it does not count. One thread at a time, while the runtime is down. */
unsigned wsfj_cpu_limit_open(enum wsfj_cpu_limit what);

/* The workers are there, their threads not yet: all may run, and wsfj_cpu_limit_check() does nothing. */
void wsfj_cpu_limit_start(unsigned workers);

/* Their threads are there, too: wsfj_cpu_limit_check() may read. */
void wsfj_cpu_limit_follow(void);

/* Reads masks and quota again if a second is over and no other thread does; else takes a few nanoseconds. Needs little
 * stack, keeps errno, is no point of cancellation. For any thread that is inside the runtime. */
void wsfj_cpu_limit_check_clock(void);
static inline void wsfj_cpu_limit_check(void)
{
    if (load_relaxed(&wsfj_cpu_limit_next) != WSFJ_CPU_LIMIT_NEVER)
        wsfj_cpu_limit_check_clock();
}

/* Lets the first `workers` workers run from now on. The others retire; those that sleep retire without being woken.
 * Retired workers among the first become sleepers again. One thread at a time: wsfj_cpu_limit_check() calls this, and
 * tests. */
void wsfj_cpu_limit_change(unsigned workers);

#endif
