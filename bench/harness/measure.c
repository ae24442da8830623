/* SPDX-License-Identifier: MIT */
/*
 * First every variant runs once in a process of its own: this gives the result that all others must have, the number of
 * spawns, and peak memory. Then the timed runs, all in one more process, round by round: the elision, then the parallel
 * variant with each number of workers. So a slow period of the machine affects all of them.
 */
#include "measure.h"

#include "child.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A parallel run is stopped after this many seconds plus this multiple of the elision's time. */
#define LIMIT_SECONDS 60
#define LIMIT_FACTOR 100

/* A variant's only run in its process. */
struct once {
    const struct kernel *kernel;
    long size;
    size_t workers; /* 0: the variant needs no runtime */
    unsigned limit; /* seconds; 0: none */
    double seconds, result, spawns, rss_kb;
    char why[RUN_WHY];
};

struct rounds {
    const struct suite_entry *entry;
    measure_progress *progress;
    double result;
    unsigned limit;
    void *serial_data, *parallel_data, *small_data;
    size_t row; /* the row that runs now */
    /* A row for each number of workers, and row num_counts for the elision. Column 0 is the warm-up. */
    double seconds[OPTIONS_COUNTS_MOST + 1][1 + OPTIONS_RUNS_MOST];
    double steals[OPTIONS_COUNTS_MOST][1 + OPTIONS_RUNS_MOST];
    double suspensions[OPTIONS_COUNTS_MOST][1 + OPTIONS_RUNS_MOST];
};

/* Memory that this process and its children write. */
struct shared {
    struct measurement m;
    struct once once;
    struct rounds rounds;
};

static void once(void *argument)
{
    struct once *o = argument;
    void *data = o->kernel->prepare(o->size);

    if (!data) {
        snprintf(o->why, sizeof o->why, "no memory");
        return;
    }
    alarm(o->limit);
    if (o->workers)
        run_start_workers(o->workers, o->why);
    wsfj_count = 0;
    run_timed(o->kernel, data, &o->seconds, o->why);
    o->spawns = (double)wsfj_count;
    if (o->workers)
        run_stop_workers(o->why);
    alarm(0);
    o->rss_kb = (double)child_peak_rss_kb(); /* before check(), which may take memory */
    o->result = run_result(o->kernel, data, o->why);
    o->kernel->release(data);
}

static void run_verified(struct rounds *r, const struct kernel *k, void *data, unsigned round, char *why)
{
    double result;

    run_timed(k, data, &r->seconds[r->row][round], why);
    result = run_result(k, data, why);
    if (!why[0] && result != r->result)
        snprintf(why, RUN_WHY, "result %.17g instead of the elision's %.17g", result, r->result);
}

static void run_parallel(struct rounds *r, struct measure_parallel *p, unsigned round)
{
    const struct kernel *k = r->entry->parallel;
    struct ws_stats before = {.size = sizeof before}, after = {.size = sizeof after};

    alarm(r->limit);
    run_start_workers(p->workers, p->why);
    (void)k->run(r->small_data); /* starts the threads and their stacks */
    (void)ws_stats_get(&before);
    run_verified(r, k, r->parallel_data, round, p->why);
    (void)ws_stats_get(&after);
    run_stop_workers(p->why);
    alarm(0);
    r->steals[r->row][round] = (double)(after.steals - before.steals);
    r->suspensions[r->row][round] = (double)(after.suspensions - before.suspensions);
    if (p->stacks < (double)after.stacks)
        p->stacks = (double)after.stacks;
}

static void run_rounds(struct rounds *r, struct measurement *m)
{
    char step[64];

    for (unsigned round = 0; round <= m->runs; round++) {
        snprintf(step, sizeof step, round ? "run %u of %u" : "warming up", round, m->runs);
        r->progress(m->kernel, step);
        r->row = m->num_counts;
        run_verified(r, r->entry->serial, r->serial_data, round, m->why);
        for (size_t i = 0; i < m->num_counts && !m->why[0]; i++) {
            r->row = i;
            if (!m->parallel[i].why[0])
                run_parallel(r, &m->parallel[i], round);
        }
        if (m->why[0])
            return;
    }
}

static void rounds(void *argument)
{
    struct shared *s = argument;
    struct rounds *r = &s->rounds;
    const struct kernel *serial = r->entry->serial, *parallel = r->entry->parallel;

    r->serial_data = serial->prepare(s->m.size);
    r->parallel_data = parallel->prepare(s->m.size);
    r->small_data = parallel->prepare(parallel->small_size);
    if (r->serial_data && r->parallel_data && r->small_data)
        run_rounds(r, &s->m);
    else
        snprintf(s->m.why, sizeof s->m.why, "no memory");
    if (r->serial_data)
        serial->release(r->serial_data);
    if (r->parallel_data)
        parallel->release(r->parallel_data);
    if (r->small_data)
        parallel->release(r->small_data);
}

/* Runs a variant once and writes errors to `why`. */
static void run_once(struct shared *s, const struct kernel *k, size_t workers, char *why)
{
    s->once = (struct once){.kernel = k, .size = s->m.size, .workers = workers, .limit = s->rounds.limit};
    if (child_run(once, &s->once, why, RUN_WHY))
        memcpy(why, s->once.why, RUN_WHY);
    if (!why[0] && k != s->rounds.entry->serial && s->once.result != s->rounds.result)
        snprintf(why, RUN_WHY, "result %.17g instead of the elision's %.17g", s->once.result, s->rounds.result);
}

static void run_all_once(struct shared *s)
{
    struct measurement *m = &s->m;
    struct rounds *r = &s->rounds;
    char step[64];

    r->progress(m->kernel, "elision");
    run_once(s, r->entry->serial, 0, m->why);
    m->serial_rss_kb = s->once.rss_kb;
    r->result = s->once.result;
    if (m->why[0])
        return;
    r->progress(m->kernel, "counting spawns");
    run_once(s, r->entry->counted, 0, m->why);
    m->spawns = s->once.spawns;
    r->limit = LIMIT_SECONDS + (unsigned)(LIMIT_FACTOR * s->once.seconds);
    for (size_t i = 0; i < m->num_counts && !m->why[0]; i++) {
        snprintf(step, sizeof step, "peak memory, workers: %zu", m->parallel[i].workers);
        r->progress(m->kernel, step);
        run_once(s, r->entry->parallel, m->parallel[i].workers, m->parallel[i].why);
        m->parallel[i].rss_kb = s->once.rss_kb;
    }
}

static void run_all_rounds(struct shared *s)
{
    struct measurement *m = &s->m;
    char why[RUN_WHY];

    /* A number of workers that kills the process is left out of the second attempt. */
    for (;;) {
        s->rounds.row = m->num_counts;
        if (m->why[0] || child_run(rounds, s, why, sizeof why))
            return;
        memcpy(s->rounds.row < m->num_counts ? m->parallel[s->rounds.row].why : m->why, why, sizeof why);
    }
}

void measure(struct measurement *m, const struct suite_entry *entry, const struct options *options,
             measure_progress *progress)
{
    struct shared *s = child_memory(sizeof *s);

    *m = (struct measurement){.kernel = entry->serial, .runs = options->runs, .num_counts = options->num_counts};
    m->size = options_size(options, m->kernel);
    for (size_t i = 0; i < m->num_counts; i++)
        m->parallel[i].workers = options->workers[i];
    if (!s) {
        snprintf(m->why, sizeof m->why, "no memory");
        return;
    }
    s->m = *m;
    s->rounds.entry = entry;
    s->rounds.progress = progress;
    run_all_once(s);
    run_all_rounds(s);
    *m = s->m;
    m->serial_seconds = sample_of(&s->rounds.seconds[m->num_counts][1], m->runs);
    for (size_t i = 0; i < m->num_counts; i++) {
        m->parallel[i].seconds = sample_of(&s->rounds.seconds[i][1], m->runs);
        m->parallel[i].steals = sample_of(&s->rounds.steals[i][1], m->runs).median;
        m->parallel[i].suspensions = sample_of(&s->rounds.suspensions[i][1], m->runs).median;
    }
    child_memory_free(s, sizeof *s);
}

const struct sample *measure_one_worker(const struct measurement *m)
{
    for (size_t i = 0; i < m->num_counts; i++) {
        if (m->parallel[i].workers == 1 && !m->parallel[i].why[0])
            return &m->parallel[i].seconds;
    }
    return NULL;
}

const char *measure_fault(const struct measurement *m, size_t i)
{
    return m->why[0] ? m->why : m->parallel[i].why[0] ? m->parallel[i].why : NULL;
}
