/* SPDX-License-Identifier: MIT */
/* How many workers may run now. cpu_limit.c changes the number. */
#ifndef WSFJ_IDLE_ALLOWED_H
#define WSFJ_IDLE_ALLOWED_H

#include "base/atomic.h"
#include "base/base.h"

extern WSFJ_HIDDEN unsigned wsfj_allowed_workers;

/* Whether the worker with this number may run. A worker that may not must begin nothing new. By sequentially consistent
 * load (PARK-7). */
static inline bool wsfj_allowed_to_run(unsigned worker)
{
    return worker < load_seq(&wsfj_allowed_workers);
}

/* How many CPUs the process had at the start: there may be more workers. Constant while the runtime runs. */
extern WSFJ_HIDDEN unsigned wsfj_allowed_cpus;

/* Whether more workers are awake than there are CPUs for. A hint. */
bool wsfj_allowed_crowded(void);

#endif
