/* SPDX-License-Identifier: MIT */
/*
 * Experiment 10: throughput, and latency from a task's submission to its start, by workers, length and number of tasks.
 * In a burst one task submits all at once; paced, a foreign thread submits them at the rate of half of what the
 * processors can do.
 */
#include "flood.h"

#include "harness/machine.h"

#include <stdlib.h>
#include <time.h>

#define TASKS_MOST 10000

/* Sleeps until this time of the clock. */
static void sleep_until(uint64_t when)
{
    uint64_t now;

    while ((now = sample_now()) < when)
        nanosleep(&(struct timespec){0, (long)(when - now < 1000000 ? when - now : 1000000)}, NULL);
}

/* `submitted` is when a task was due: a late submitter counts as a part of the wait. */
static double pace(struct lab *lab, struct stamp *stamps, size_t n, double period_ns)
{
    ws_group group = WS_GROUP_INIT;
    uint64_t start = sample_now(), last = 0;
    size_t once = 0;

    for (size_t i = 0; i < n; i++) {
        stamps[i].submitted = start + (uint64_t)(period_ns * (double)i);
        sleep_until(stamps[i].submitted);
        lab_need(lab, ws_group_submit(&group, flood_task, &stamps[i]) == 0, "a task");
    }
    lab_need(lab, ws_group_wait(&group) == 0, "an end");
    for (size_t i = 0; i < n; i++) {
        once += stamps[i].runs == 1;
        last = stamps[i].ended > last ? stamps[i].ended : last;
    }
    lab_must(lab, once == n, "each task that was submitted from outside has run once");
    return (double)(last - start) * 1e-9;
}

static void measure(struct lab *lab, struct stamp *stamps, unsigned workers, double task_us, size_t n, bool paced)
{
    double *us = lab_alloc(lab, n, sizeof *us), seconds, cpus = (double)machine_cpus();
    struct sample s;

    flood_start(lab, workers, WS_VICTIM_DEFAULT);
    flood_fill(stamps, n, task_us * 1e3, 0);
    seconds =
        paced ? pace(lab, stamps, n, 2 * task_us * 1e3 / (workers < cpus ? workers : cpus)) : flood(lab, stamps, n, 1);
    flood_stop(lab);
    for (size_t i = 0; i < n; i++)
        us[i] = stamps[i].begun > stamps[i].submitted ? (double)(stamps[i].begun - stamps[i].submitted) * 1e-3 : 0;
    s = sample_of(us, n);
    lab_must(lab, s.median <= s.p99 && s.p99 <= s.p999, "percentiles are in order");
    lab_row(lab, "%s,%u,%g,%zu,%.0f,%.1f,%.1f,%.1f", paced ? "paced" : "burst", workers, task_us, n,
            (double)n / seconds, s.median, s.p99, s.p999);
    free(us);
}

void lab_latency(struct lab *lab)
{
    static const unsigned workers[] = {1, 2, 4, 8};
    static const double lengths_us[] = {1, 10, 100};
    static const size_t counts[] = {100, 1000, 10000};
    struct stamp *stamps = lab_alloc(lab, TASKS_MOST, sizeof *stamps);

    lab_table(lab, "", "arrival,workers,task_us,tasks,tasks_per_s,p50_us,p99_us,p999_us");
    for (unsigned w = 0; w < lab_size(lab, 4, 2); w++) {
        for (unsigned k = 0; k < lab_size(lab, 3, 2); k++) {
            for (unsigned c = 0; c < 3; c++)
                if (!lab->quick || counts[c] == 1000)
                    measure(lab, stamps, workers[w], lengths_us[k], counts[c], false);
            if (lengths_us[k] >= 100 || lab->quick)
                measure(lab, stamps, workers[w], lengths_us[k], lab_size(lab, 5000, 100), true);
        }
    }
    lab_must(lab, true, "each task of a burst has run once");
    free(stamps);
}
