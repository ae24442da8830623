/* SPDX-License-Identifier: MIT */
/*
 * Programs with a classic mistake, and with its remedy: `PROGRAM mistake` and `PROGRAM remedy` do the same job and print the
 * same figures, one a line. WSFJ_STATS, WSFJ_SCHEDTRACE and WSFJ_TRACE show more of either. doc/lab/mistakes.md.
 */
#ifndef LAB_MISTAKE_H
#define LAB_MISTAKE_H

#include "harness/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <wsfj.h>

/* The program. */
void mistake_run(bool remedied);

/* A number and its name, which ends in its unit. */
void mistake_figure(const char *name, double value);

/* Ends the program unless that holds. */
void mistake_need(bool held, const char *what);

/* Starts the runtime with this number of workers and defaults for the rest. */
void mistake_start(unsigned workers);

/* Spins for ns by the clock, without useful work. */
void mistake_spin(uint64_t ns);

/* Computes for so long (lab/work.h). */
void mistake_work(double ns);

/* From this thread, one after the other: submits a task that takes no time, so many in all and so far apart. Figures
 * NAME_p50_us and NAME_longest_us: from its submission to its start. */
void mistake_probe(const char *name, unsigned n, uint64_t apart_ns);

#endif
