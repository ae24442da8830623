/* SPDX-License-Identifier: MIT */
/* Experiment 9: one worker submits all tasks, or each worker its part. Which worker runs them? */
#include "flood.h"

#include <stdlib.h>

#define WORKERS 4

void lab_source(struct lab *lab)
{
    size_t n = lab_size(lab, 4000, 200), rounds = lab_size(lab, 9, 1);
    struct stamp *stamps = lab_alloc(lab, n, sizeof *stamps);
    size_t last[2][WORKERS];
    double stolen[2];

    lab_table(lab, "", "source,ms,least_percent,most_percent,steals,ran_elsewhere_percent");
    for (unsigned k = 0; k < 2; k++) {
        unsigned sources = k ? 1 : WORKERS;
        double ms[16], least[16], most[16], steals[16], elsewhere[16];

        for (size_t r = 0; r < rounds; r++) {
            struct flood_share shares[WORKERS];
            size_t few = n, many = 0, away = 0;

            flood_start(lab, WORKERS, WS_VICTIM_DEFAULT);
            flood_fill(stamps, n, 100000, 0);
            ms[r] = flood(lab, stamps, n, sources) * 1e3;
            steals[r] = (double)flood_stats().steals;
            flood_stop(lab);
            flood_shares(stamps, n, shares, WORKERS);
            for (unsigned w = 0; w < WORKERS; w++) {
                few = shares[w].tasks < few ? shares[w].tasks : few;
                many = shares[w].tasks > many ? shares[w].tasks : many;
                last[k][w] = shares[w].tasks;
            }
            for (size_t i = 0; i < n; i++)
                away += stamps[i].worker != stamps[i].source;
            least[r] = 100 * (double)few / (double)n;
            most[r] = 100 * (double)many / (double)n;
            elsewhere[r] = 100 * (double)away / (double)n;
        }
        stolen[k] = lab_median(elsewhere, rounds);
        lab_row(lab, "%s,%.2f,%.1f,%.1f,%.0f,%.1f", k ? "one worker" : "each worker", lab_median(ms, rounds),
                lab_median(least, rounds), lab_median(most, rounds), lab_median(steals, rounds), stolen[k]);
    }
    lab_must(lab, true, "each of the %zu tasks has run once, in every round", n);
    lab_saw(lab, stolen[0] < stolen[1],
            "%.1f %% run elsewhere if each worker submits its part, %.1f %% if one submits all", stolen[0], stolen[1]);
    lab_table(lab, "workers", "worker,from_each,from_one");
    for (unsigned w = 0; w < WORKERS; w++)
        lab_row(lab, "%u,%zu,%zu", w, last[0][w], last[1][w]);
    free(stamps);
}
