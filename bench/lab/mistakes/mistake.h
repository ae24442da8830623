/* SPDX-License-Identifier: MIT */
/*
 * Programs with a classic mistake, and with its remedy: `PROGRAM mistake` and `PROGRAM remedy` do the same job and
 * print the same figures, one on each line. WSFJ_STATS, WSFJ_SCHEDTRACE and WSFJ_TRACE show more. doc/lab/mistakes.md.
 */
#ifndef LAB_MISTAKE_H
#define LAB_MISTAKE_H

#include "harness/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <wsfj.h>

/* The program. */
void mistake_run(bool remedied);

/* Prints a number and its name, which ends in its unit. */
void mistake_figure(const char *name, double value);

/* Ends the program unless this holds. */
void mistake_need(bool held, const char *what);

/* Starts the runtime with this number of workers and defaults for all else. */
void mistake_start(unsigned workers);

/* Spins for ns by the clock, without useful work. */
void mistake_spin(uint64_t ns);

/* Computes for this long (lab/work.h). */
void mistake_work(double ns);

/* From this thread, one after the other: submits `n` tasks that take no time, at this distance. Prints the figures
 * NAME_p50_us and NAME_longest_us: from submission to start. */
void mistake_probe(const char *name, unsigned n, uint64_t apart_ns);

#endif
