/* SPDX-License-Identifier: MIT */
/* What a spawn costs, from the times of a run with one worker and of the elision. */
#ifndef BENCH_SPAWN_COST_H
#define BENCH_SPAWN_COST_H

#include "sample.h"

/*
 * (T1 - Ts) / spawns in nanoseconds, or NAN if the spawns cannot be told from noise:
 * - the elision takes more than 100 ns for each. Where nothing but spawns counts (fib, integrate, skynet), one costs 3 to
 *   6 ns: here all of them are less than a tenth of Ts, and single runs differ by more;
 * - T1 - Ts is not more than the spread (max - min) of the runs of both. One run has none.
 */
double spawn_cost(const struct sample *serial, const struct sample *one_worker, double spawns);

#endif
