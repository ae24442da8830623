/* SPDX-License-Identifier: MIT */
/*
 * Says, once, that all stacks wait while tasks are queued: nobody may be left to end the waits. Not at once: waits end, and a
 * stack may come free. Only when all stacks have waited for a second, and not one of them has gone on meanwhile.
 */
#ifndef WSFJ_SCHED_SHORTAGE_H
#define WSFJ_SCHED_SHORTAGE_H

#include "base/base.h"

/* At the start of the runtime. */
void wsfj_shortage_start(void);

/* A worker has asked for a stack, and there is none. `now` by wsfj_now(). */
WSFJ_COLD void wsfj_shortage_check(uint64_t now);

#endif
