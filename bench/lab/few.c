/* SPDX-License-Identifier: MIT */
/*
 * Experiment 15: 20 tasks on 2 to 8 workers. Tasks that compute need processors; tasks that only wait need workers, so
 * that this machine behaves as one with as many processors.
 */
#include "flood.h"

#define TASKS 20
#define MOST_WORKERS 8
#define ROUNDS_MOST 16

static void measure(struct lab *lab, bool waits, double task_ns)
{
    size_t rounds = lab_size(lab, 9, 1);
    double before = 0, last_help = 1;

    for (unsigned workers = 1; workers <= MOST_WORKERS; workers++) {
        double ms[ROUNDS_MOST], steals[ROUNDS_MOST];

        for (size_t r = 0; r < rounds; r++) {
            struct stamp stamps[TASKS];

            flood_start(lab, workers, WS_VICTIM_DEFAULT);
            flood_fill(stamps, TASKS, waits ? 0 : task_ns, waits ? (uint64_t)task_ns : 0);
            ms[r] = flood(lab, stamps, TASKS, 1) * 1e3;
            steals[r] = (double)flood_stats().steals;
            flood_stop(lab);
            lab_must(lab, workers > 1 || steals[r] == 0, "one worker steals nothing");
        }

        double now = lab_median(ms, rounds), rate = lab_median(steals, rounds);

        lab_row(lab, "%s,%u,%.2f,%.0f,%.2f,%.1f", waits ? "wait" : "compute", workers, now, rate, rate / TASKS,
                workers == 1 ? 0 : 100 * (before - now) / before);
        if (workers > 1 && now < 0.95 * before)
            last_help = workers;
        before = now;
    }
    lab_saw(lab, last_help > 1, "tasks that %s: the last worker that made it more than 5 %% faster is number %.0f",
            waits ? "wait" : "compute", last_help);
}

void lab_few(struct lab *lab)
{
    double task_ns = (double)lab_size(lab, 5000000, 200000);

    lab_table(lab, "", "tasks_that,workers,ms,steals,steals_per_task,gain_percent");
    measure(lab, false, task_ns);
    measure(lab, true, task_ns);
    lab_must(lab, true, "each of the %d tasks has run once, in every round", TASKS);
}
