/* SPDX-License-Identifier: MIT */
/* One run of a kernel. Errors are written to `why`, a text of RUN_WHY bytes that is empty while all is well. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "kernel.h"

#define RUN_WHY 160

/* Restores the data and runs the kernel; the seconds are those of the run. */
void run_timed(const struct kernel *kernel, void *data, double *seconds, char *why);

/* Verifies the run that was made last, if all is well so far, and returns its result. */
double run_result(const struct kernel *kernel, void *data, char *why);

/* Starts and stops the runtime. */
void run_start_workers(size_t workers, char *why);
void run_stop_workers(char *why);

#endif
