/* SPDX-License-Identifier: MIT */
/* Experiment 9: one worker submits all tasks, or each worker its part. Which worker runs them? */
#include "flood.h"
#include "rounds.h"

#include <stdlib.h>

#define WORKERS 4

enum figure { MS, LEAST, MOST, STEALS, ELSEWHERE, FIGURES };

struct plan {
    struct stamp *stamps;
    struct flood_share *shares;
    size_t *last[2]; /* each worker's tasks in the last round */
    size_t n;
    double task_ns;
    unsigned workers;
};

/* Two lines: each worker submits its part, one submits all. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    size_t few = p->n, many = 0, away = 0;

    flood_start(lab, p->workers);
    flood_fill(p->stamps, p->n, p->task_ns);
    figures[MS] = flood(lab, p->stamps, p->n, line ? 1 : p->workers) * 1e3;
    figures[STEALS] = (double)flood_stats().steals;
    flood_stop(lab);
    flood_shares(p->stamps, p->n, p->shares, p->workers);
    for (unsigned w = 0; w < p->workers; w++) {
        few = p->shares[w].tasks < few ? p->shares[w].tasks : few;
        many = p->shares[w].tasks > many ? p->shares[w].tasks : many;
        p->last[line][w] = p->shares[w].tasks;
    }
    for (size_t i = 0; i < p->n; i++)
        away += p->stamps[i].worker != p->stamps[i].source;
    figures[LEAST] = 100 * (double)few / (double)p->n;
    figures[MOST] = 100 * (double)many / (double)p->n;
    figures[ELSEWHERE] = 100 * (double)away / (double)p->n;
}

void lab_source(struct lab *lab)
{
    struct plan p = {.n = (size_t)lab_value(lab, LAB_COUNT, 4000, 200),
                     .task_ns = lab_value(lab, LAB_LENGTH, 1e5, 1e5),
                     .workers = (unsigned)lab_value(lab, LAB_WORKERS, WORKERS, WORKERS)};
    struct rounds r;

    p.stamps = lab_alloc(lab, p.n, sizeof *p.stamps);
    p.shares = lab_alloc(lab, p.workers, sizeof *p.shares);
    for (unsigned k = 0; k < 2; k++)
        p.last[k] = lab_alloc(lab, p.workers, sizeof *p.last[k]);
    lab_table(lab, "", "source,ms,least_percent,most_percent,steals,ran_elsewhere_percent,elsewhere_p10,elsewhere_p90");
    r = rounds_measure(lab, 2, FIGURES, lab_size(lab, 15, 1), measure, &p);
    for (unsigned k = 0; k < 2; k++) {
        struct sample elsewhere = rounds_sample(lab, &r, k, ELSEWHERE);

        lab_row(lab, "%s,%.2f,%.1f,%.1f,%.0f,%.1f,%.1f,%.1f", k ? "one worker" : "each worker",
                rounds_median(lab, &r, k, MS), rounds_median(lab, &r, k, LEAST), rounds_median(lab, &r, k, MOST),
                rounds_median(lab, &r, k, STEALS), elsewhere.median, elsewhere.p10, elsewhere.p90);
    }
    lab_must(lab, true, "each of the %zu tasks has run once, in every round", p.n);
    (void)lab_differs(lab, rounds_values(&r, 0, MS), rounds_values(&r, 1, MS), r.rounds, "from one source, all takes");
    lab_saw(
        lab, rounds_sample(lab, &r, 0, ELSEWHERE).p90 < rounds_sample(lab, &r, 1, ELSEWHERE).p10,
        "%.1f %% run elsewhere if each worker submits its part, %.1f %% if one submits all: so in nine of ten rounds",
        rounds_median(lab, &r, 0, ELSEWHERE), rounds_median(lab, &r, 1, ELSEWHERE));
    lab_table(lab, "workers", "worker,from_each,from_one");
    for (unsigned w = 0; w < p.workers; w++)
        lab_row(lab, "%u,%zu,%zu", w, p.last[0][w], p.last[1][w]);
    rounds_free(&r);
    free(p.last[0]);
    free(p.last[1]);
    free(p.shares);
    free(p.stamps);
}
