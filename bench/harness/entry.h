/* SPDX-License-Identifier: MIT */
/* The report on a kernel with one number of workers. Neighbours: report.c, which prints it; README.md, which explains
 * each figure. */
#ifndef BENCH_ENTRY_H
#define BENCH_ENTRY_H

#include "measure.h"

/* All figures are doubles, NAN if not known. */
struct entry {
    const char *kernel;
    double size, workers, runs;
    double serial_s, t1_s, median_s, min_s, max_s;
    double overhead, speedup;
    double spawns, ns_per_spawn;
    double steals, suspensions, stacks;
    double rss_kb, serial_rss_kb;
    int ok;
};

/* The i-th number of workers. */
struct entry entry_of(const struct measurement *m, size_t i);

#endif
