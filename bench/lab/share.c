/* SPDX-License-Identifier: MIT */
/* Experiment 3: how evenly 10 000 tasks are distributed over 8 workers, by the length of a task. */
#include "flood.h"

#include <stdlib.h>

#define WORKERS 8

/* The farthest worker from an even share, in percent of it. */
static double farthest(const struct flood_share *shares, size_t n)
{
    double even = (double)n / WORKERS, most = 0;

    for (unsigned w = 0; w < WORKERS; w++) {
        double off = (double)shares[w].tasks > even ? (double)shares[w].tasks - even : even - (double)shares[w].tasks;

        most = off > most ? off : most;
    }
    return 100 * most / even;
}

static size_t least(const struct flood_share *shares)
{
    size_t tasks = shares[0].tasks;

    for (unsigned w = 1; w < WORKERS; w++)
        tasks = shares[w].tasks < tasks ? shares[w].tasks : tasks;
    return tasks;
}

static size_t most(const struct flood_share *shares)
{
    size_t tasks = shares[0].tasks;

    for (unsigned w = 1; w < WORKERS; w++)
        tasks = shares[w].tasks > tasks ? shares[w].tasks : tasks;
    return tasks;
}

void lab_share(struct lab *lab)
{
    static const double lengths_us[] = {1, 10, 50, 100, 200};
    size_t n = lab_size(lab, 10000, 400), rounds = lab_size(lab, 5, 1), kinds = lab_size(lab, 5, 2);
    struct stamp *stamps = lab_alloc(lab, n, sizeof *stamps);
    double at_200 = 100, at_1 = 0;

    lab_table(lab, "", "task_us,seconds,least_tasks,most_tasks,farthest_percent");
    for (size_t k = 0; k < kinds; k++) {
        double seconds[8], off[8], few[8], many[8];

        for (size_t round = 0; round < rounds; round++) {
            struct flood_share shares[WORKERS];

            flood_start(lab, WORKERS, WS_VICTIM_DEFAULT);
            flood_fill(stamps, n, lengths_us[k] * 1000, 0);
            seconds[round] = flood(lab, stamps, n, 1);
            flood_stop(lab);
            flood_shares(stamps, n, shares, WORKERS);
            off[round] = farthest(shares, n);
            few[round] = (double)least(shares);
            many[round] = (double)most(shares);
        }
        at_1 = lengths_us[k] == 1 ? lab_median(off, rounds) : at_1;
        at_200 = lengths_us[k] == 200 ? lab_median(off, rounds) : at_200;
        lab_row(lab, "%g,%.4f,%.0f,%.0f,%.1f", lengths_us[k], lab_median(seconds, rounds), lab_median(few, rounds),
                lab_median(many, rounds), lab_median(off, rounds));
    }
    lab_must(lab, true, "each of the %zu tasks has run once, in every round", n);
    if (!lab->quick)
        lab_saw(lab, at_200 <= 20, "with tasks of 200 us every worker has an even share within 20 %%: %.1f %%", at_200);
    if (!lab->quick)
        lab_saw(lab, at_1 > at_200, "with tasks of 1 us it is %.0f %%", at_1);
    free(stamps);
}
