/* SPDX-License-Identifier: MIT */
#include "entry.h"

#include "spawn_cost.h"

#include <math.h>

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

struct entry entry_of(const struct measurement *m, size_t i)
{
    const struct measure_parallel *p = &m->parallel[i];
    const struct sample *one = measure_one_worker(m);
    int serial_ok = m->why[0] == '\0', ok = measure_fault(m, i) == NULL;
    double ts = serial_ok ? m->serial_seconds.median : NAN;
    double t1 = serial_ok && one ? one->median : NAN;
    double tp = ok ? p->seconds.median : NAN;

    return (struct entry){
        .kernel = m->kernel->name,
        .size = (double)m->size,
        .workers = (double)p->workers,
        .runs = m->runs,
        .serial_s = ts,
        .t1_s = t1,
        .median_s = tp,
        .min_s = ok ? p->seconds.min : NAN,
        .max_s = ok ? p->seconds.max : NAN,
        .overhead = ratio(t1, ts),
        .speedup = ratio(ts, tp),
        .spawns = serial_ok ? m->spawns : NAN,
        .ns_per_spawn = serial_ok && one ? spawn_cost(&m->serial_seconds, one, m->spawns) : NAN,
        .steals = ok ? p->steals : NAN,
        .suspensions = ok ? p->suspensions : NAN,
        .stacks = ok ? p->stacks : NAN,
        .rss_kb = ok ? p->rss_kb : NAN,
        .serial_rss_kb = serial_ok ? m->serial_rss_kb : NAN,
        .ok = ok,
    };
}
