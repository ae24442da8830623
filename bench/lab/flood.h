/* SPDX-License-Identifier: MIT */
/* Many detached tasks on the whole runtime, each with a stamp of where and when it ran. */
#ifndef LAB_FLOOD_H
#define LAB_FLOOD_H

#include "lab.h"

#include <wsfj.h>

/* One task: its length, and what happened to it. */
struct stamp {
    uint64_t turns;                        /* of work.h */
    uint64_t due, submitted, begun, ended; /* by sample_now(); due when it is submitted, unless there is a schedule */
    unsigned source, worker, runs;         /* the workers that have submitted and run it; how often it ran */
};

/* Starts the runtime, which must not run, with this number of workers. */
void flood_start(struct lab *lab, unsigned workers);
void flood_stop(struct lab *lab);

/* The task of a stamp. */
void flood_task(void *stamp);

/* `sources` tasks on different workers submit n / sources of the stamps each; returns the seconds from their start to
 * the last end. Checks that each has run once. With several sources each keeps a worker until all have begun. */
double flood(struct lab *lab, struct stamp *stamps, size_t n, unsigned sources);

/* n stamps of this length that have not run. */
void flood_fill(struct stamp *stamps, size_t n, double work_ns);

/* The share of each worker. */
struct flood_share {
    size_t tasks;
    uint64_t busy_ns; /* of its tasks, from begin to end */
};
void flood_shares(const struct stamp *stamps, size_t n, struct flood_share *shares, unsigned workers);

/* The runtime's counters, so far. */
struct ws_stats flood_stats(void);

#endif
