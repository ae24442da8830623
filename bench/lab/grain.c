/* SPDX-License-Identifier: MIT */
/*
 * Experiment 12: granularity. The same amount of work in tasks from 10 ns to 10 ms: what the runtime costs (one worker
 * against a plain loop, by the process's processor time), how evenly the work is spread, and the speed-up.
 */
#include "flood.h"
#include "rounds.h"

#include "base/atomic.h"
#include "harness/machine.h"
#include "work.h"

#define TASKS_MOST 1000000
#define ROUNDS_MOST 9

struct share {
    _Alignas(64) uint64_t tasks;
};

static struct share shares[LAB_THREADS_MOST];
static bool counting;
static uint64_t turns;
static ws_group group = WS_GROUP_INIT;

static inline void one(void)
{
    work(turns);
    if (counting)
        (void)add_relaxed(&shares[(unsigned)ws_worker_id() % LAB_THREADS_MOST].tasks, (uint64_t)1);
}

static WS_TASK_VOID(leaf)
{
    one();
}

/* Splits a range until one task remains, as a parallel loop does. */
static WS_TASK_VOID(range, size_t, n)
{
    if (n == 1) {
        ws_call(leaf);
        return;
    }
    ws_spawn(range, n / 2);
    ws_call(range, n - n / 2);
    ws_sync();
}

static void detached(void *arg)
{
    (void)arg;
    one();
}

static void submit_all(void *arg)
{
    for (size_t i = *(size_t *)arg; i > 0; i--)
        (void)ws_group_submit(&group, detached, NULL);
}

static double run_serial(size_t n)
{
    uint64_t start = sample_now();

    for (size_t i = 0; i < n; i++)
        work(turns);
    return (double)(sample_now() - start) * 1e-9;
}

static double run(struct lab *lab, bool is_detached, size_t n)
{
    ws_group root = WS_GROUP_INIT;
    uint64_t start = sample_now();

    if (is_detached)
        lab_need(lab,
                 ws_group_submit(&root, submit_all, &n) == 0 && ws_group_wait(&root) == 0 && ws_group_wait(&group) == 0,
                 "an end");
    else
        lab_need(lab, ws_run(range, n) == 0, "a region");
    return (double)(sample_now() - start) * 1e-9;
}

/* The tasks of the busiest worker, relative to an even share; checks that no task is lost. */
static double imbalance(struct lab *lab, bool is_detached, size_t n, unsigned workers)
{
    uint64_t all = 0, most = 0;

    for (unsigned w = 0; w < LAB_THREADS_MOST; w++)
        shares[w].tasks = 0;
    counting = true;
    (void)run(lab, is_detached, n);
    counting = false;
    for (unsigned w = 0; w < workers; w++) {
        all += shares[w].tasks;
        most = shares[w].tasks > most ? shares[w].tasks : most;
    }
    lab_must(lab, all == n, "as many tasks have run as there are");
    return (double)most * workers / (double)n;
}

enum figure { SERIAL, ALL, CPU_SERIAL, CPU_ONE, OFF, FIGURES };

struct plan {
    struct lab_list lengths;
    size_t tasks; /* 0: as many as the budget has */
    unsigned workers;
};

static size_t tasks_of(struct lab *lab, const struct plan *p, double task_ns)
{
    size_t n = (size_t)((double)lab_size(lab, 100000000, 500000) / task_ns);

    return p->tasks ? p->tasks : n > TASKS_MOST ? TASKS_MOST : n > p->workers ? n : p->workers;
}

/* A line for each length of spawned tasks, then of detached ones. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    bool is_detached = line / p->lengths.n;
    double task_ns = p->lengths.at[line % p->lengths.n];
    size_t n = tasks_of(lab, p, task_ns);
    uint64_t cpu = work_process_ns();

    turns = work_turns(task_ns);
    figures[SERIAL] = run_serial(n);
    figures[CPU_SERIAL] = (double)(work_process_ns() - cpu);
    flood_start(lab, 1);
    cpu = work_process_ns();
    (void)run(lab, is_detached, n);
    figures[CPU_ONE] = (double)(work_process_ns() - cpu);
    flood_stop(lab);
    flood_start(lab, p->workers);
    figures[ALL] = run(lab, is_detached, n);
    figures[OFF] = imbalance(lab, is_detached, n, p->workers);
    flood_stop(lab);
}

static void show(struct lab *lab, const struct plan *p, const struct rounds *r, size_t line)
{
    double task_ns = p->lengths.at[line % p->lengths.n], overhead[ROUNDS_MOST], speedup[ROUNDS_MOST];
    size_t n = tasks_of(lab, p, task_ns);
    struct sample extra, times;

    for (size_t i = 0; i < r->rounds; i++) {
        overhead[i] = (rounds_values(r, line, CPU_ONE)[i] - rounds_values(r, line, CPU_SERIAL)[i]) / (double)n;
        speedup[i] = rounds_values(r, line, SERIAL)[i] / rounds_values(r, line, ALL)[i];
    }
    extra = sample_of(overhead, r->rounds);
    times = sample_of(speedup, r->rounds);
    lab_row(lab, "%s,%.0f,%zu,%u,%.1f,%.1f,%.1f,%.2f,%.2f,%.2f,%.0f,%.2f", line / p->lengths.n ? "detached" : "spawned",
            task_ns, n, p->workers, extra.median, extra.p10, extra.p90, times.median, times.p10, times.p90,
            100 * times.median / p->workers, rounds_median(lab, r, line, OFF));
}

void lab_grain(struct lab *lab)
{
    unsigned cpus = machine_cpus() < LAB_THREADS_MOST ? (unsigned)machine_cpus() : LAB_THREADS_MOST;
    struct plan p = {.lengths =
                         lab_values(lab, LAB_LENGTH, (struct lab_list){7, {1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}}, 4),
                     .tasks = (size_t)lab_value(lab, LAB_COUNT, 0, 0),
                     .workers = (unsigned)lab_value(lab, LAB_WORKERS, cpus, cpus)};
    struct rounds r;

    lab_table(lab, "",
              "kind,task_ns,tasks,workers,overhead_ns,overhead_p10,overhead_p90,speedup,speedup_p10,speedup_p90,"
              "efficiency_percent,most_by_even");
    r = rounds_measure(lab, 2 * p.lengths.n, FIGURES, lab_size(lab, ROUNDS_MOST, 1), measure, &p);
    for (size_t line = 0; line < r.lines; line++)
        show(lab, &p, &r, line);
    rounds_free(&r);
}
