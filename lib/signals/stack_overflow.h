/* SPDX-License-Identifier: MIT */
/*
 * When a task stack overflows into its guard, prints one clear line. Then the fault goes to the handler that was there
 * before, like all other faults. If that handler returns and the same fault comes again, SIGSEGV has its default
 * action.
 */
#ifndef WSFJ_SIGNALS_STACK_OVERFLOW_H
#define WSFJ_SIGNALS_STACK_OVERFLOW_H

#include "base/base.h"

/* Installs and removes the handler of the process. */
void wsfj_overflow_start(void);
void wsfj_overflow_stop(void);

/* Before this code is unloaded with its shared object: threads that end later will not call it. */
void wsfj_overflow_unload(void);

/* Gives the calling thread an alternate signal stack, unless it has one; freed when the thread ends or stops the
 * runtime. False if the thread has none of the library's. */
bool wsfj_overflow_guard_thread(void);

#endif
