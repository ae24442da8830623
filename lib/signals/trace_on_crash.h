/* SPDX-License-Identifier: MIT */
/*
 * Signals that end the process: before they do, the trace is written. Only while there is a trace. Neighbour: stack_overflow.c, whose
 * handler of SIGSEGV comes after this one.
 */
#ifndef WSFJ_SIGNALS_TRACE_ON_CRASH_H
#define WSFJ_SIGNALS_TRACE_ON_CRASH_H

#include "base/base.h"

/* Takes the signals of faults, with whatever handled them before coming next, and those that ask a process to end where
 * the program does not handle them. `flush` writes the trace; async-signal-safe. */
void wsfj_trace_on_crash_start(void (*flush)(bool is_signal));

/* Gives back those that nobody has taken meanwhile. */
void wsfj_trace_on_crash_stop(void);

/* In the child of a fork: the handlers stay, and do nothing but pass on. */
void wsfj_trace_on_crash_forget(void);

#endif
