/* SPDX-License-Identifier: MIT */
/*
 * The watching thread, wsfj-watch, prints what WSFJ_SCHEDTRACE, WSFJ_DUMP_SIGNAL and WSFJ_WATCHDOG ask for. It exists
 * if any of them is set. It blocks all signals, takes no lock that the runtime or the program takes, and sleeps in
 * between.
 */
#ifndef WSFJ_OBSERVE_MONITOR_H
#define WSFJ_OBSERVE_MONITOR_H

#include "base/base.h"

/* Call it when the workers are made and before their threads start. If the thread cannot be started, one line says so
 * and the runtime works without it. */
void wsfj_monitor_start(void);

/* Before the workers' threads end. */
void wsfj_monitor_stop(void);

/* In the child of a fork: the thread does not exist, and the signal gets its former handler back. */
void wsfj_monitor_forget(void);

/* Makes it print a dump. Async-signal-safe, also when there is no watching thread. */
void wsfj_monitor_ask(void);

#endif
