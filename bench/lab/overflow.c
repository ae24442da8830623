/* SPDX-License-Identifier: MIT */
/* Experiment 5: a task submits more than its worker's run queue holds. With one worker every number is known in
 * advance. */
#include "flood.h"
#include "trace.h"

#include "base/atomic.h"
#include "worker/worker.h"

#include <string.h>

#define TASKS 1000
/* Where the source stops for a while. */
#define PAUSE_AT 600
#define PAUSE_NS UINT64_C(30000000)

static unsigned queue_length[TASKS + 1], next_full[TASKS + 1];
static ws_group group = WS_GROUP_INIT;

static void count(void *arg)
{
    unsigned *runs = arg;

    ++*runs; /* one worker: one after the other */
}

static void submit_all(void *runs)
{
    uint64_t until;

    for (unsigned i = 1; i <= TASKS; i++) {
        (void)ws_group_submit(&group, count, runs);
        next_full[i] = wsfj_run_queue_next_full(&wsfj_workers[0].detached.queue);
        queue_length[i] = wsfj_run_queue_length(&wsfj_workers[0].detached.queue) - next_full[i];
        if (i != PAUSE_AT)
            continue;
        until = sample_now() + PAUSE_NS; /* time for a line of the schedtrace */
        while (sample_now() < until)
            ;
    }
}

/* What the trace and the schedtrace report. */
struct told {
    unsigned overflows;
    bool at_pause; /* a line of the schedtrace had the numbers of that moment */
    unsigned queue, common;
};

static void add_event(void *context, const struct trace_event *e)
{
    ((struct told *)context)->overflows += e->phase == 'i' && strcmp(e->name, "overflow") == 0;
}

/* The runtime's line comes first, then the worker's. */
static void add_line(void *context, const char *line)
{
    struct told *told = context;
    static bool common_fits;

    if (trace_value(line, "globalqueue") >= 0)
        common_fits = (unsigned)trace_value(line, "globalqueue") == told->common;
    else if (common_fits && (unsigned)trace_value(line, "queue") == told->queue)
        told->at_pause = true;
}

void lab_overflow(struct lab *lab)
{
    unsigned runs = 0, longest = 0, steps = 0;
    ws_group root = WS_GROUP_INIT;
    struct told told = {0};

    trace_begin(lab);
    flood_start(lab, 1);
    lab_need(lab, ws_group_submit(&root, submit_all, &runs) == 0, "a task");
    lab_need(lab, ws_group_wait(&root) == 0 && ws_group_wait(&group) == 0, "an end");
    flood_stop(lab);
    trace_end(lab);
    lab_table(lab, "", "submitted,run_next,run_queue,global_queue");
    for (unsigned i = 1; i <= TASKS; i++) {
        unsigned common = i - queue_length[i] - next_full[i];
        unsigned before = i > 1 ? i - 1 - queue_length[i - 1] - next_full[i - 1] : 0;

        longest = queue_length[i] > longest ? queue_length[i] : longest;
        steps += common != before;
        /* The last line before an overflow, too: a figure joins the lines by straight ones. */
        if (common != before && (i - 1) % 50 != 0)
            lab_row(lab, "%u,%u,%u,%u", i - 1, next_full[i - 1], queue_length[i - 1], before);
        if (i % 50 == 0 || common != before)
            lab_row(lab, "%u,%u,%u,%u", i, next_full[i], queue_length[i], common);
        if (common != before)
            lab_must(lab, common - before == WSFJ_RUN_QUEUE_SIZE / 2,
                     "at the %uth task %u go to the global queue at once", i, common - before);
    }
    lab_must(lab, longest == WSFJ_RUN_QUEUE_SIZE - 1, "behind run-next there are never more than %u", longest);
    /* Room for 256 with the one in run-next; each overflow makes room for 128. */
    lab_must(lab, steps == (TASKS - WSFJ_RUN_QUEUE_SIZE + WSFJ_RUN_QUEUE_SIZE / 2 - 1) / (WSFJ_RUN_QUEUE_SIZE / 2),
             "%u overflows for %d tasks", steps, TASKS);
    told.queue = queue_length[PAUSE_AT];
    told.common = PAUSE_AT - queue_length[PAUSE_AT] - next_full[PAUSE_AT];
    (void)trace_read(lab, add_event, &told);
    lab_must(lab, told.overflows == steps, "the trace has %u of them", told.overflows);
    (void)trace_lines(lab, add_line, &told);
    lab_saw(lab, told.at_pause, "a line of the schedtrace has queue=%u and globalqueue=%u at the %dth task", told.queue,
            told.common, PAUSE_AT);
    lab_must(lab, runs == TASKS, "all %d tasks have run: %u", TASKS, runs);
}
