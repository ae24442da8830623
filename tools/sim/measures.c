/* SPDX-License-Identifier: MIT */
#include "measures.h"

#include "watch.h"

#include <wsfj.h>

#include <math.h>
#include <stdlib.h>

#define NAME(name, digits) #name,
const char *const sim_measure_names[] = {SIM_MEASURES(NAME)};
#define DIGITS(name, digits) digits,
const int sim_measure_digits[] = {SIM_MEASURES(DIGITS)};

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The smallest sample that at least this part of the samples does not exceed. */
static double quantile(const struct sim_samples *samples, unsigned thousandths)
{
    if (samples->count == 0)
        return NAN;
    return (double)samples->at[(samples->count * thousandths + 999) / 1000 - 1];
}

static void quantiles(struct sim_samples *samples, double *at)
{
    if (samples->count)
        qsort(samples->at, samples->count, sizeof *samples->at, by_size);
    at[0] = quantile(samples, 500);
    at[1] = quantile(samples, 990);
    at[2] = quantile(samples, 999);
}

static double share(double part, double all)
{
    return all > 0 ? part / all : NAN;
}

void sim_measure(double *values)
{
    const struct sim_watch *w = &sim_watch;
    unsigned workers = ws_num_workers() ? (unsigned)ws_num_workers() : w->seen; /* none after ws_fini() */
    double tasks = 0, stolen = 0, failed = 0, idle = 0, searched = 0, all_busy = 0, least = INFINITY, most = 0;
    double time = w->first == UINT64_MAX ? 0 : (double)(w->last - w->first);

    for (unsigned i = 0; i < w->num_workers; i++) {
        tasks += (double)sim_watch_executed(&w->workers[i]);
        stolen += (double)w->workers[i].stole;
        failed += (double)w->workers[i].failed;
    }
    for (unsigned i = 0; i < workers; i++) {
        bool never = i >= w->num_workers || w->workers[i].first == UINT64_MAX;
        double executed = i < w->num_workers ? (double)sim_watch_executed(&w->workers[i]) : 0;

        least = fmin(least, executed);
        most = fmax(most, executed);
        idle += never ? time : (double)sim_watch_idle(&w->workers[i]);
        searched += i < w->num_workers ? (double)sim_watch_searched(&w->workers[i]) : 0;
        all_busy = fmax(all_busy, never ? INFINITY : (double)(w->workers[i].first - w->first));
    }
    values[SIM_workers] = workers;
    values[SIM_time_ns] = time;
    values[SIM_work_ns] = (double)w->work;
    values[SIM_span_ns] = w->span ? (double)w->span : NAN;
    values[SIM_speedup] = share((double)w->work, time);
    values[SIM_efficiency] = share((double)w->work, time * workers);
    values[SIM_tasks] = tasks;
    values[SIM_stolen] = stolen;
    values[SIM_steal_rate] = share(stolen, tasks);
    values[SIM_executed_least] = workers ? least : NAN;
    values[SIM_executed_most] = workers ? most : NAN;
    values[SIM_steals] = (double)w->steals;
    values[SIM_failed] = failed;
    values[SIM_joins] = (double)w->joins;
    values[SIM_join_wait_ns] = (double)w->joined;
    values[SIM_join_most_ns] = (double)w->join_most;
    quantiles(&sim_watch.ready, &values[SIM_ready_p50_ns]);
    quantiles(&sim_watch.latency, &values[SIM_latency_p50_ns]);
    values[SIM_stacks] = (double)w->stacks_most;
    values[SIM_idle] = share(idle, time * workers);
    values[SIM_searching] = share(searched, time * workers);
    values[SIM_all_busy_ns] = isinf(all_busy) ? NAN : all_busy;
    for (int tier = 0; tier < WSFJ_TIER_COUNT; tier++)
        values[SIM_steals_core + tier] = (double)w->distance[tier];
}
