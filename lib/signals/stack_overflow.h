/* SPDX-License-Identifier: MIT */
/*
 * A task stack that overflows meets its guard: one clear line, then the default SIGSEGV. Other faults go to whoever
 * handled them before.
 */
#ifndef WSFJ_SIGNALS_STACK_OVERFLOW_H
#define WSFJ_SIGNALS_STACK_OVERFLOW_H

/* Installs and removes the handler of the process. */
void wsfj_overflow_start(void);
void wsfj_overflow_stop(void);

/* Before this code goes away with the shared object it is linked into: no thread that ends later will call it. */
void wsfj_overflow_unload(void);

/* Gives the calling thread an alternate signal stack, unless it has one; freed when the thread ends or stops the runtime. */
void wsfj_overflow_guard_thread(void);

#endif
