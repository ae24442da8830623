/* SPDX-License-Identifier: MIT */
/* Experiment 11: the choice of a victim, on a balanced tree of tasks and on bursts with a serial part between them. */
#include "flood.h"
#include "rounds.h"

#include "base/atomic.h"
#include "work.h"

#define POLICIES 4

static const struct policy {
    enum ws_victim victim;
    const char *name;
} policies[POLICIES] = {{WS_VICTIM_NEAR, "near"},
                        {WS_VICTIM_UNIFORM, "uniform"},
                        {WS_VICTIM_LARGEST, "largest"},
                        {WS_VICTIM_ROUND_ROBIN, "round-robin"}};

static uint64_t turns;
static unsigned leaves; /* that have run */

static WS_TASK_VOID(leaf)
{
    work(turns);
    (void)add_relaxed(&leaves, 1u);
}

static WS_TASK_VOID(tree, unsigned, depth)
{
    if (depth == 0) {
        ws_call(leaf);
        return;
    }
    ws_spawn(tree, depth - 1);
    ws_call(tree, depth - 1);
    ws_sync();
}

static WS_TASK_VOID(bursts, unsigned, n)
{
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < 64; k++)
            ws_spawn(leaf);
        ws_sync();
        work(20 * turns); /* long enough for fruitless searches */
    }
}

enum figure { MS, STEALS, FAILED, FIGURES };

/* A line for each kind of work, each number of workers and each policy. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    const struct lab_list *workers = context;
    bool bursty = line / POLICIES / workers->n;
    unsigned depth = (unsigned)lab_size(lab, 10, 5), n = lab->quick ? 1 : 16;
    struct ws_stats before, after;
    uint64_t start;
    int error;

    flood_start(lab, (unsigned)workers->at[line / POLICIES % workers->n], policies[line % POLICIES].victim);
    before = flood_stats();
    leaves = 0;
    start = sample_now();
    error = bursty ? ws_run(bursts, n) : ws_run(tree, depth);
    figures[MS] = (double)(sample_now() - start) * 1e-6;
    after = flood_stats();
    flood_stop(lab);
    figures[STEALS] = (double)(after.steals - before.steals);
    figures[FAILED] = (double)(after.steals_failed - before.steals_failed);
    lab_must(lab, error == 0 && leaves == (bursty ? 64 * n : 1u << depth), "every leaf has run once");
}

void lab_victims(struct lab *lab)
{
    struct lab_list workers = lab_values(lab, LAB_WORKERS, (struct lab_list){2, {2, 8}}, 2);
    unsigned compared = 0, differ = 0;
    struct rounds r;

    turns = work_turns(lab_value(lab, LAB_LENGTH, 10000, 1000));
    lab_table(lab, "", "work,workers,victim,ms,times_near,least,most,steals,failed");
    r = rounds_measure(lab, 2 * POLICIES * workers.n, FIGURES, lab_size(lab, 41, 1), measure, &workers);
    for (size_t line = 0; line < r.lines; line++) {
        const double *near = rounds_values(&r, line - line % POLICIES, MS), *ms = rounds_values(&r, line, MS);
        const char *work = line / POLICIES / workers.n ? "bursty" : "balanced", *name = policies[line % POLICIES].name;
        unsigned p = (unsigned)workers.at[line / POLICIES % workers.n];

        lab_row(lab, "%s,%u,%s,%.2f,%s,%.0f,%.0f", work, p, name, rounds_median(lab, &r, line, MS),
                lab_ratio(sample_compare(near, ms, r.rounds)).text, rounds_median(lab, &r, line, STEALS),
                rounds_median(lab, &r, line, FAILED));
        if (line % POLICIES) {
            struct sample_ratio ratio = sample_compare(near, ms, r.rounds);

            compared++;
            differ += ratio.least > 1 || ratio.most < 1;
            if (ratio.least > 1 || ratio.most < 1)
                (void)lab_differs(lab, near, ms, r.rounds, "%s work, %u workers, %s against near:", work, p, name);
        }
    }
    lab_find(lab, "noise", "%u of %u comparisons with near are within the noise", compared - differ, compared);
    rounds_free(&r);
}
