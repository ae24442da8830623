/* SPDX-License-Identifier: MIT */
/* For the measurements of wsfj-micro and for the program. */
#ifndef BENCH_MICRO_H
#define BENCH_MICRO_H

#include "harness/sample.h"

#include <stddef.h>
#include <stdint.h>

/* A wait for another worker ends after this long, and a whole measurement after this many seconds: the program ends
 * even if the library is broken. */
#define MICRO_WAIT_NS UINT64_C(1000000000)
#define MICRO_SECONDS 60

enum micro_end { MICRO_DONE, MICRO_SKIPPED, MICRO_FAILED };

/* Writes `n` values in nanoseconds. If the measurement is not made, `why` says why. */
typedef enum micro_end micro_fn(double *values, size_t n, const char **why);

micro_fn micro_call, micro_spawn;                                          /* spawn.c */
micro_fn micro_steal_answered, micro_steal_forced, micro_join, micro_wake; /* steal.c */
micro_fn micro_steal_public;                                               /* row.c */
micro_fn micro_detached, micro_suspend;                                    /* suspend.c */
micro_fn micro_run_warm, micro_run_phase, micro_run_parked;                /* region.c */
micro_fn micro_first_parked, micro_first_hot;                              /* period.c */
micro_fn micro_period_cpu, micro_period_cpu_hot, micro_period_wakes;
micro_fn micro_submit, micro_submit_foreign, micro_submit_start; /* submit.c */
micro_fn micro_foreign;                                          /* foreign.c */
micro_fn micro_line;                                             /* line.c */
micro_fn micro_trace;                                            /* trace.c */
micro_fn micro_quota, micro_quota_find;                          /* quota.c */
micro_fn micro_event_set, micro_mutex;                           /* waits.c */
micro_fn micro_event, micro_event_other, micro_channel, micro_channel_two;

/* Starts the runtime, which must not run. `spin_us` as in ws_config. Returns NULL or an error. */
const char *micro_start(size_t workers, long spin_us);

#endif
