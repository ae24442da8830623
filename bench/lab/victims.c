/* SPDX-License-Identifier: MIT */
/* Experiment 11: the choice of a victim, on a balanced tree of tasks and on bursts with a serial part between them. */
#include "flood.h"

#include "base/atomic.h"
#include "work.h"

#define POLICIES 4
#define ROUNDS_MOST 16

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

struct result {
    double ms, steals, failed;
};

static struct result run(struct lab *lab, enum ws_victim victim, unsigned workers, bool bursty)
{
    unsigned depth = (unsigned)lab_size(lab, 10, 5), n = lab->quick ? 1 : 16;
    struct ws_stats before, after;
    uint64_t start;
    int error;

    flood_start(lab, workers, victim);
    before = flood_stats();
    leaves = 0;
    start = sample_now();
    error = bursty ? ws_run(bursts, n) : ws_run(tree, depth);

    double ms = (double)(sample_now() - start) * 1e-6;

    after = flood_stats();
    flood_stop(lab);
    lab_must(lab, error == 0 && leaves == (bursty ? 64 * n : 1u << depth), "every leaf has run once");
    return (struct result){ms, (double)(after.steals - before.steals),
                           (double)(after.steals_failed - before.steals_failed)};
}

static void compare(struct lab *lab, unsigned workers, bool bursty)
{
    size_t rounds = lab_size(lab, 15, 1);
    double ms[POLICIES][ROUNDS_MOST], steals[POLICIES][ROUNDS_MOST], failed[POLICIES][ROUNDS_MOST], near_ms;

    for (size_t r = 0; r < rounds; r++) {
        for (unsigned p = 0; p < POLICIES; p++) {
            struct result result = run(lab, policies[p].victim, workers, bursty);

            ms[p][r] = result.ms;
            steals[p][r] = result.steals;
            failed[p][r] = result.failed;
        }
    }
    near_ms = lab_median(ms[0], rounds);
    for (unsigned p = 0; p < POLICIES; p++)
        lab_row(lab, "%s,%u,%s,%.2f,%.2f,%.0f,%.0f", bursty ? "bursty" : "balanced", workers, policies[p].name,
                lab_median(ms[p], rounds), lab_median(ms[p], rounds) / near_ms, lab_median(steals[p], rounds),
                lab_median(failed[p], rounds));
}

void lab_victims(struct lab *lab)
{
    turns = work_turns((double)lab_size(lab, 10000, 1000));
    lab_table(lab, "", "work,workers,victim,ms,times_near,steals,failed");
    for (unsigned bursty = 0; bursty < 2; bursty++) {
        compare(lab, 2, bursty);
        compare(lab, 8, bursty);
    }
}
