/* SPDX-License-Identifier: MIT */
/*
 * The watching thread, wsfj-watch: prints what WSFJ_SCHEDTRACE, WSFJ_DUMP_SIGNAL and WSFJ_WATCHDOG ask for. There is one
 * if any of them is set. It blocks all signals, takes no lock that the runtime or the program takes, and sleeps in between.
 */
#ifndef WSFJ_OBSERVE_MONITOR_H
#define WSFJ_OBSERVE_MONITOR_H

#include "base/base.h"

/* The workers are made, their threads not yet. If there is no thread to be had the runtime goes on without, and one line
 * says so. */
void wsfj_monitor_start(void);

/* Before the workers' threads end. */
void wsfj_monitor_stop(void);

/* In the child of a fork: there is no such thread, and the signal is again what it was before. */
void wsfj_monitor_forget(void);

/* Has it print a dump. Async-signal-safe, also when nobody watches. */
void wsfj_monitor_ask(void);

#endif
