/* SPDX-License-Identifier: MIT */
/* Counters of one worker. One writer each, whoever serves the worker; all on slow paths. Print: stats.c. */
#ifndef WSFJ_STATS_H
#define WSFJ_STATS_H

#include <stdint.h>

enum { WSFJ_TIERS = 5 }; /* how far a steal went: victim.h */

struct wsfj_stats {
    uint64_t steals[WSFJ_TIERS];
    uint64_t failed;      /* attempts that found nothing or lost */
    uint64_t asked;       /* exposures asked of an owner */
    uint64_t answered;    /* requests this worker has answered as an owner */
    uint64_t forced;      /* exposures forced */
    uint64_t suspensions; /* joins whose continuation was suspended */
    uint64_t parks;
    uint64_t wakes; /* sleepers this worker has woken */
};

struct ws_stats;

/* The sum over all workers, as ws_stats_get() gives it. */
void wsfj_stats_sum(struct ws_stats *sum);

/* The table of WSFJ_STATS=1 on stderr. */
void wsfj_stats_print(void);

#endif
