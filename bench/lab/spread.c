/* SPDX-License-Identifier: MIT */
/* Experiment 1: 100 tasks that one worker has started spread over all workers. */
#include "flood.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#define TASKS 100
#define WORKERS 4
#define TASK_NS 5e6
#define QUICK_TASK_NS 2e4

/* The last round's tasks, as a picture: which worker ran which task when. */
static void draw(struct lab *lab, const struct stamp *stamps)
{
    uint64_t first = UINT64_MAX;

    for (unsigned i = 0; i < TASKS; i++)
        first = stamps[i].submitted < first ? stamps[i].submitted : first;
    lab_table(lab, "tasks", "task,worker,begin_ms,end_ms");
    for (unsigned i = 0; i < TASKS; i++)
        lab_row(lab, "%u,%u,%.3f,%.3f", i, stamps[i].worker, (double)(stamps[i].begun - first) * 1e-6,
                (double)(stamps[i].ended - first) * 1e-6);
}

struct lanes {
    double task_us[WORKERS], search_us[WORKERS], park_us[WORKERS];
    unsigned slices[WORKERS];
};

static void add_slice(void *context, const struct trace_event *e)
{
    struct lanes *lanes = context;

    if (e->phase != 'X' || e->worker >= WORKERS)
        return;
    if (strcmp(e->category, "task") == 0) {
        lanes->task_us[e->worker] += e->length_us;
        lanes->slices[e->worker]++;
    } else if (strcmp(e->category, "search") == 0) {
        lanes->search_us[e->worker] += e->length_us;
    } else if (strcmp(e->category, "park") == 0) {
        lanes->park_us[e->worker] += e->length_us;
    }
}

/* The same, from the library's own trace. */
static void trace(struct lab *lab)
{
    struct stamp stamps[TASKS];
    struct lanes lanes = {0};
    double all_us = 0, farthest = 0;
    unsigned slices = 0;

    trace_begin(lab);
    flood_start(lab, WORKERS);
    flood_fill(stamps, TASKS, lab->quick ? QUICK_TASK_NS : TASK_NS);
    flood(lab, stamps, TASKS, 1);
    flood_stop(lab);
    trace_end(lab);
    (void)trace_read(lab, add_slice, &lanes);
    for (unsigned w = 0; w < WORKERS; w++) {
        all_us += lanes.task_us[w];
        slices += lanes.slices[w];
    }
    lab_table(lab, "trace", "worker,slices,busy_ms,share_percent,searching_ms,parked_ms");
    for (unsigned w = 0; w < WORKERS; w++) {
        double percent = all_us > 0 ? 100 * lanes.task_us[w] / all_us : 0,
               off = percent > 25 ? percent - 25 : 25 - percent;

        farthest = off > farthest ? off : farthest;
        lab_row(lab, "%u,%u,%.1f,%.1f,%.1f,%.1f", w, lanes.slices[w], lanes.task_us[w] * 1e-3, percent,
                lanes.search_us[w] * 1e-3, lanes.park_us[w] * 1e-3);
    }
    /* Besides them only the source runs, and nothing else is suspended. */
    lab_must(lab, slices == TASKS + 1, "the trace has a slice for each of %d tasks and one for their source: %u", TASKS,
             slices);
    lab_saw(lab, farthest <= 5, "by the trace, too, each has 25 %% +- 5: the farthest is off by %.1f", farthest);
}

void lab_spread(struct lab *lab)
{
    unsigned workers = (unsigned)lab_value(lab, LAB_WORKERS, WORKERS, WORKERS);
    size_t n = (size_t)lab_value(lab, LAB_COUNT, TASKS, TASKS), rounds = lab_size(lab, 7, 1);
    struct stamp *stamps = lab_alloc(lab, n, sizeof *stamps);
    struct flood_share *shares = lab_alloc(lab, workers, sizeof *shares);
    double farthest = 0, even = 100.0 / workers;

    lab_table(lab, "", "round,worker,tasks,busy_ms,share_percent");
    for (size_t round = 1; round <= rounds; round++) {
        uint64_t all = 0;
        size_t tasks = 0;

        flood_start(lab, workers);
        flood_fill(stamps, n, lab_value(lab, LAB_LENGTH, TASK_NS, QUICK_TASK_NS));
        flood(lab, stamps, n, 1);
        flood_shares(stamps, n, shares, workers);
        flood_stop(lab);
        for (unsigned w = 0; w < workers; w++)
            all += shares[w].busy_ns;
        for (unsigned w = 0; w < workers; w++) {
            double percent = all ? 100 * (double)shares[w].busy_ns / (double)all : 0;
            double off = percent > even ? percent - even : even - percent;

            farthest = off > farthest ? off : farthest;
            tasks += shares[w].tasks;
            lab_row(lab, "%zu,%u,%zu,%.1f,%.1f", round, w, shares[w].tasks, (double)shares[w].busy_ns * 1e-6, percent);
        }
        lab_must(lab, tasks == n, "the workers have run %zu of %zu tasks", tasks, n);
    }
    lab_saw(lab, farthest <= 5,
            "each worker has %.0f %% +- 5 of the busy time in all of %zu rounds; the farthest is off by %.1f", even,
            rounds, farthest);
    if (!lab->is_own) {
        draw(lab, stamps);
        trace(lab);
    }
    free(shares);
    free(stamps);
}
