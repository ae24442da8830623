/* SPDX-License-Identifier: MIT */
/*
 * Experiment 10: throughput, and latency from the moment at which a task was due, by workers, length and number of
 * tasks. In a burst one task submits all at once; paced, a thread outside submits them at the times at which they would
 * come to half of what the processors can do.
 */
#include "flood.h"
#include "rounds.h"

#include "harness/machine.h"
#include "work.h"

#include <stdlib.h>

/* Tasks of a paced line among the experiment's own. */
#define PACED 5000

/* A task of a burst is due when it is submitted. A paced task is due by the schedule: if the submitter comes late, that
 * is part of the task's wait. */
enum interval { DUE_TO_SUBMITTED, DUE_TO_BEGUN, BEGUN_TO_ENDED, DUE_TO_ENDED, INTERVALS };
static const char *const names[INTERVALS] = {"due to submitted", "due to begun", "begun to ended", "due to ended"};

/* The figures of a line: tasks a second, then these of each interval. */
enum figure { P50, P99, P999, MOST, FIGURES };

struct line {
    unsigned workers;
    double task_ns;
    size_t tasks;
    bool paced;
};

struct scene {
    struct line *lines;
    size_t num_lines;
    struct stamp *stamps; /* for the longest line */
    double *us;
};

static double pace(struct lab *lab, struct stamp *stamps, size_t n, double period_ns)
{
    ws_group group = WS_GROUP_INIT;
    uint64_t start = sample_now(), last = 0;
    size_t once = 0;

    for (size_t i = 0; i < n; i++) {
        stamps[i].due = start + (uint64_t)(period_ns * (double)i);
        work_sleep_until(stamps[i].due);
        stamps[i].submitted = sample_now();
        lab_need(lab, ws_group_submit(&group, flood_task, &stamps[i]) == 0, "a task");
    }
    lab_need(lab, ws_group_wait(&group) == 0, "an end");
    for (size_t i = 0; i < n; i++) {
        once += stamps[i].runs == 1;
        last = stamps[i].ended > last ? stamps[i].ended : last;
    }
    lab_must(lab, once == n, "each task that was submitted from outside has run once");
    return (double)(last - start) * 1e-9;
}

static double between(const struct stamp *s, enum interval interval)
{
    uint64_t from = interval == BEGUN_TO_ENDED ? s->begun : s->due;
    uint64_t to = interval == DUE_TO_SUBMITTED ? s->submitted : interval == DUE_TO_BEGUN ? s->begun : s->ended;

    return to > from ? (double)(to - from) * 1e-3 : 0;
}

static void measure(struct lab *lab, void *context, size_t number, double *figures)
{
    struct scene *s = context;
    const struct line *l = &s->lines[number];
    double cpus = (double)machine_cpus();

    flood_start(lab, l->workers);
    flood_fill(s->stamps, l->tasks, l->task_ns);
    figures[0] = (double)l->tasks /
                 (l->paced ? pace(lab, s->stamps, l->tasks, 2 * l->task_ns / (l->workers < cpus ? l->workers : cpus))
                           : flood(lab, s->stamps, l->tasks, 1));
    flood_stop(lab);
    for (unsigned k = 0; k < INTERVALS; k++) {
        double *f = &figures[1 + k * FIGURES];
        struct sample sample;

        for (size_t i = 0; i < l->tasks; i++)
            s->us[i] = between(&s->stamps[i], (enum interval)k);
        sample = sample_of(s->us, l->tasks);
        f[P50] = sample.median;
        f[P99] = sample.p99;
        f[P999] = sample.p999;
        f[MOST] = sample.max;
        lab_must(lab, !(f[P50] > f[P99]) && !(f[P99] > f[P999]) && !(f[P999] > f[MOST]), "percentiles are in order");
    }
}

static void add_lines(struct lab *lab, struct scene *s, bool paced)
{
    struct lab_list workers = lab_values(lab, LAB_WORKERS, (struct lab_list){4, {1, 2, 4, 8}}, 2);
    struct lab_list lengths = lab_values(lab, LAB_LENGTH, (struct lab_list){3, {1e3, 1e4, 1e5}}, 2);
    struct lab_list counts = lab_values(lab, LAB_COUNT, (struct lab_list){3, {100, 1000, 10000}}, 2);

    if (paced && !lab->own[LAB_LENGTH].n)
        lengths = (struct lab_list){1, {lab->quick ? 1e4 : 1e5}};
    if (paced && !lab->own[LAB_COUNT].n)
        counts = (struct lab_list){1, {lab->quick ? 100 : PACED}};
    for (unsigned w = 0; w < workers.n; w++)
        for (unsigned k = 0; k < lengths.n; k++)
            for (unsigned c = 0; c < counts.n; c++)
                s->lines[s->num_lines++] =
                    (struct line){(unsigned)workers.at[w], lengths.at[k], (size_t)counts.at[c], paced};
}

static void show(struct lab *lab, const struct line *l, const struct rounds *r, size_t number)
{
    for (unsigned k = l->paced ? DUE_TO_SUBMITTED : DUE_TO_BEGUN; k < INTERVALS; k++) {
        double f[FIGURES];

        for (unsigned i = 0; i < FIGURES; i++)
            f[i] = rounds_median(lab, r, number, 1 + k * FIGURES + i);
        lab_row(lab, "%s,%u,%g,%zu,%.0f,%s,%.1f,%s,%s,%.1f", l->paced ? "paced" : "burst", l->workers,
                l->task_ns * 1e-3, l->tasks, rounds_median(lab, r, number, 0), names[k], f[P50],
                lab_percentile(f[P99]).text, lab_percentile(f[P999]).text, f[MOST]);
    }
    if (l->tasks < 1000)
        lab_find(lab, "note", "%zu task%s: too few for %sp99.9 (1000)", l->tasks, l->tasks == 1 ? "" : "s",
                 l->tasks < 100 ? "p99 (100) and " : "");
}

void lab_latency(struct lab *lab)
{
    size_t rounds = lab->is_own ? 1 : lab_size(lab, 5, 1), most = 0;
    struct scene s = {.lines = lab_alloc(lab, 2 * LAB_LIST_MOST * LAB_LIST_MOST * LAB_LIST_MOST, sizeof *s.lines)};
    struct rounds r;

    add_lines(lab, &s, false);
    add_lines(lab, &s, true);
    for (size_t i = 0; i < s.num_lines; i++)
        most = s.lines[i].tasks > most ? s.lines[i].tasks : most;
    s.stamps = lab_alloc(lab, most, sizeof *s.stamps);
    s.us = lab_alloc(lab, most, sizeof *s.us);
    lab_table(lab, "", "arrival,workers,task_us,tasks,tasks_per_s,interval,p50_us,p99_us,p999_us,max_us");
    r = rounds_measure(lab, s.num_lines, 1 + INTERVALS * FIGURES, rounds, measure, &s);
    for (size_t i = 0; i < s.num_lines; i++)
        show(lab, &s.lines[i], &r, i);
    lab_must(lab, true, "each task of a burst has run once");
    rounds_free(&r);
    free(s.us);
    free(s.stamps);
    free(s.lines);
}
