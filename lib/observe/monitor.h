/* SPDX-License-Identifier: MIT */
/*
 * The watching thread, wsfj-watch: prints what WSFJ_SCHEDTRACE, WSFJ_DUMP_SIGNAL and WSFJ_WATCHDOG ask for. There is one
 * if any of them is set. It blocks all signals, takes no lock that the runtime or the program takes, and sleeps in between.
 */
#ifndef WSFJ_WATCH_H
#define WSFJ_WATCH_H

#include "base/base.h"

/* The workers are made, their threads not yet. If there is no thread to be had the runtime goes on without, and one line
 * says so. */
void wsfj_watch_start(void);

/* Before the workers' threads end. */
void wsfj_watch_stop(void);

/* In the child of a fork: there is no such thread, and the signal is again what it was before. */
void wsfj_watch_forget(void);

/* Has it print a dump. Async-signal-safe, also when nobody watches. */
void wsfj_watch_ask(void);

#endif
