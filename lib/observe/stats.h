/* SPDX-License-Identifier: MIT */
/* Sums and tables of the workers' counters. Neighbour: event_rows.h, what is counted. */
#ifndef WSFJ_OBSERVE_STATS_H
#define WSFJ_OBSERVE_STATS_H

#include "base/base.h"

/* What one worker has counted. False if there is no such worker. */
bool wsfj_stats_of(size_t worker, struct ws_stats *stats);

/* The sum over all workers and other threads, as ws_stats_get() gives it. */
void wsfj_stats_sum(struct ws_stats *sum);

/* The tables of WSFJ_STATS=1 on stderr. */
void wsfj_stats_print(void);

/* In the child of a fork, and before a start: sets the counters of foreign threads to 0. */
void wsfj_stats_reset(void);

#endif
