/* SPDX-License-Identifier: MIT */
/*
 * Writes the trace before a signal ends the process. Only while there is a trace. Neighbour: stack_overflow.c, whose
 * handler of SIGSEGV comes after this one.
 */
#ifndef WSFJ_SIGNALS_TRACE_ON_CRASH_H
#define WSFJ_SIGNALS_TRACE_ON_CRASH_H

#include "base/base.h"

/* Takes the signals of faults; a handler of the program comes next. Takes signals that ask a process to end only where
 * the program does not handle them. `flush` writes the trace; async-signal-safe. */
void wsfj_trace_on_crash_start(void (*flush)(bool is_signal));

/* Gives back the signals that the program has not taken since. Also in the child of a fork. */
void wsfj_trace_on_crash_stop(void);

#endif
