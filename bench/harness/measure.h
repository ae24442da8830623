/* SPDX-License-Identifier: MIT */
/* Measures one kernel: its elision, and the parallel variant with each number of workers. Neighbour: report.h. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "options.h"
#include "run.h"
#include "sample.h"

/* The parallel variant with one number of workers. */
struct measure_parallel {
    size_t workers;
    struct sample seconds;
    double steals, suspensions; /* of a run, medians */
    double stacks;              /* the most that existed at once */
    double rss_kb;              /* peak of a process that does one run */
    char why[RUN_WHY];          /* an error; empty if all is right. After an error the numbers are undefined. */
};

struct measurement {
    const struct kernel *kernel;
    long size;
    unsigned runs;
    struct sample serial_seconds;
    double serial_rss_kb, spawns;
    char why[RUN_WHY]; /* an error of the elision: the parallel variant then has no reference */
    size_t num_counts;
    struct measure_parallel parallel[OPTIONS_COUNTS_MOST];
};

/* Called before each step with a word about it ("run 2 of 5"), perhaps in a child process. */
typedef void measure_progress(const struct kernel *kernel, const char *step);

/* Errors are in m->why and m->parallel[i].why. */
void measure(struct measurement *m, const struct suite_entry *entry, const struct options *options,
             measure_progress *progress);

/* The times with one worker, or NULL if they were not measured. */
const struct sample *measure_one_worker(const struct measurement *m);

/* The error with the i-th number of workers, or with all of them; NULL if there is none. */
const char *measure_fault(const struct measurement *m, size_t i);

#endif
