/* SPDX-License-Identifier: MIT */
/* For the measurements of wsfj-waits. Each prints one line of numbers; waits.go prints the same ones. */
#ifndef BENCH_WAITS_H
#define BENCH_WAITS_H

#include <stddef.h>
#include <stdint.h>

/* Ends the program with a line on stderr: `what` has failed with this errno. Nothing happens if that is 0. */
void waits_check(const char *what, int error);

/* CPU seconds that the process has used. */
double waits_cpu(void);

/* A number from a line of /proc/self/status, such as "VmRSS:". */
double waits_status(const char *key);

/* The event of n tasks that wait for it: how long it takes until all wait, KiB for each, how long until all are back;
 * CPU seconds of all that. */
void waits_many(size_t n);

/* n tasks whose deadlines lie within a second: how late they run, as p50 and p99 in ms, and CPU seconds meanwhile. */
void waits_timers(size_t n);

/* n tasks that wait for an event, a descriptor or a far deadline: how often threads of the process ran within these
 * seconds. */
void waits_idle(size_t n, int seconds);

/* A server on a port that it prints. When the input ends, it prints the echoes made, CPU seconds and the rate of fib, in
 * millions of calls a second. `fib`: tasks keep all workers busy. */
void waits_echo(int fib);

#endif
