/* SPDX-License-Identifier: MIT */
/* Experiment 3: how evenly 10 000 tasks are distributed over 8 workers, by the length of a task. */
#include "flood.h"
#include "rounds.h"

#include <stdlib.h>

enum figure { SECONDS, LEAST, MOST, FARTHEST, FIGURES };

struct plan {
    struct lab_list lengths;
    struct stamp *stamps;
    struct flood_share *shares;
    size_t n;
    unsigned workers;
};

static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    double even = (double)p->n / p->workers;

    flood_start(lab, p->workers);
    flood_fill(p->stamps, p->n, p->lengths.at[line]);
    figures[SECONDS] = flood(lab, p->stamps, p->n, 1);
    flood_stop(lab);
    flood_shares(p->stamps, p->n, p->shares, p->workers);
    figures[LEAST] = figures[MOST] = (double)p->shares[0].tasks;
    for (unsigned w = 1; w < p->workers; w++) {
        double tasks = (double)p->shares[w].tasks;

        figures[LEAST] = tasks < figures[LEAST] ? tasks : figures[LEAST];
        figures[MOST] = tasks > figures[MOST] ? tasks : figures[MOST];
    }
    /* The worker farthest from an even share, in percent of it. */
    figures[FARTHEST] = figures[MOST] - even > even - figures[LEAST] ? figures[MOST] - even : even - figures[LEAST];
    figures[FARTHEST] *= 100 / even;
}

void lab_share(struct lab *lab)
{
    struct plan p = {.lengths = lab_values(lab, LAB_LENGTH, (struct lab_list){5, {1e3, 1e4, 5e4, 1e5, 2e5}}, 2),
                     .n = (size_t)lab_value(lab, LAB_COUNT, 10000, 400),
                     .workers = (unsigned)lab_value(lab, LAB_WORKERS, 8, 8)};
    struct rounds r;
    size_t last = p.lengths.n - 1;

    p.stamps = lab_alloc(lab, p.n, sizeof *p.stamps);
    p.shares = lab_alloc(lab, p.workers, sizeof *p.shares);
    lab_table(lab, "", "task_us,seconds,least_tasks,most_tasks,farthest_percent,farthest_p10,farthest_p90");
    r = rounds_measure(lab, p.lengths.n, FIGURES, lab_size(lab, 9, 1), measure, &p);
    for (size_t line = 0; line < r.lines; line++) {
        struct sample off = rounds_sample(lab, &r, line, FARTHEST);

        lab_row(lab, "%g,%.4f,%.0f,%.0f,%.1f,%.1f,%.1f", p.lengths.at[line] * 1e-3,
                rounds_median(lab, &r, line, SECONDS), rounds_median(lab, &r, line, LEAST),
                rounds_median(lab, &r, line, MOST), off.median, off.p10, off.p90);
    }
    lab_must(lab, true, "each of the %zu tasks has run once, in every round", p.n);
    if (last > 0)
        lab_saw(
            lab, rounds_sample(lab, &r, 0, FARTHEST).p10 > rounds_sample(lab, &r, last, FARTHEST).p90,
            "tasks of %g us are spread less evenly than tasks of %g us, in nine rounds of ten: %.0f %% against %.0f %%",
            p.lengths.at[0] * 1e-3, p.lengths.at[last] * 1e-3, rounds_median(lab, &r, 0, FARTHEST),
            rounds_median(lab, &r, last, FARTHEST));
    rounds_free(&r);
    free(p.shares);
    free(p.stamps);
}
