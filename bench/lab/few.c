/* SPDX-License-Identifier: MIT */
/*
 * Experiment 15: 20 tasks on 2 to 8 workers. Tasks that compute need processors; tasks that only wait need workers, so
 * that this machine behaves as one with as many processors.
 */
#include "flood.h"
#include "rounds.h"

#include <stdlib.h>

#define TASKS 20

enum figure { MS, STEALS, FIGURES };

struct plan {
    struct lab_list workers;
    struct stamp *stamps;
    size_t tasks;
    double task_ns;
};

static const char *const kinds[] = {"compute", "wait"};

/* A line for each kind of task and each number of workers. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    unsigned workers = (unsigned)p->workers.at[line % p->workers.n];
    bool waits = line / p->workers.n;

    flood_start(lab, workers, WS_VICTIM_DEFAULT);
    flood_fill(p->stamps, p->tasks, waits ? 0 : p->task_ns, waits ? (uint64_t)p->task_ns : 0);
    figures[MS] = flood(lab, p->stamps, p->tasks, 1) * 1e3;
    figures[STEALS] = (double)flood_stats().steals;
    flood_stop(lab);
    lab_must(lab, workers > 1 || figures[STEALS] == 0, "one worker steals nothing");
}

/* One kind: each number of workers against the one before it. */
static void show(struct lab *lab, const struct plan *p, const struct rounds *r, unsigned kind)
{
    size_t first = kind * p->workers.n, last = first, most = first + p->workers.n - 1;
    unsigned faster = 0, slower = 0;

    for (size_t i = 0; i < p->workers.n; i++) {
        size_t line = first + i;
        struct sample ms = rounds_sample(lab, r, line, MS);
        struct sample_ratio ratio =
            sample_compare(rounds_values(r, i ? line - 1 : line, MS), rounds_values(r, line, MS), r->rounds);

        lab_row(lab, "%s,%.0f,%.2f,%.2f,%.2f,%s,%.0f,%.2f", kinds[kind], p->workers.at[i], ms.median, ms.p10, ms.p90,
                lab_ratio(ratio).text, rounds_median(lab, r, line, STEALS),
                rounds_median(lab, r, line, STEALS) / (double)p->tasks);
        faster += ratio.most < 1;
        slower += ratio.least > 1;
        last = ratio.most < 1 ? line : last;
    }
    if (p->workers.n == 1)
        return;
    lab_saw(lab, last > first, "tasks that %s: the last number of workers that is faster than the one before is %.0f",
            kinds[kind], p->workers.at[last - first]);
    lab_find(lab, "noise", "tasks that %s: of %u steps %u are faster, %u slower, the others within the noise",
             kinds[kind], p->workers.n - 1, faster, slower);
    if (last < most)
        (void)lab_differs(lab, rounds_values(r, last, MS), rounds_values(r, most, MS), r->rounds,
                          "tasks that %s: %.0f workers against %.0f take", kinds[kind], p->workers.at[most - first],
                          p->workers.at[last - first]);
}

void lab_few(struct lab *lab)
{
    struct plan p = {.workers = lab_values(lab, LAB_WORKERS, (struct lab_list){8, {1, 2, 3, 4, 5, 6, 7, 8}}, 8),
                     .tasks = (size_t)lab_value(lab, LAB_COUNT, TASKS, TASKS),
                     .task_ns = lab_value(lab, LAB_LENGTH, 5e6, 2e5)};
    struct rounds r;

    p.stamps = lab_alloc(lab, p.tasks, sizeof *p.stamps);
    lab_table(lab, "", "tasks_that,workers,ms,p10_ms,p90_ms,times_before,least,most,steals,steals_per_task");
    r = rounds_measure(lab, 2 * p.workers.n, FIGURES, lab_size(lab, 21, 1), measure, &p);
    show(lab, &p, &r, 0);
    show(lab, &p, &r, 1);
    lab_must(lab, true, "each of the %zu tasks has run once, in every round", p.tasks);
    rounds_free(&r);
    free(p.stamps);
}
