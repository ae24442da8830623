/* SPDX-License-Identifier: MIT */
/*
 * Experiment 12: granularity. The same amount of work in tasks from 10 ns to 10 ms: what the runtime costs (one worker
 * against a plain loop, by the process's processor time), how evenly the work is spread, and the speed-up.
 */
#include "flood.h"

#include "base/atomic.h"
#include "harness/machine.h"
#include "work.h"

#define TASKS_MOST 1000000
#define ROUNDS_MOST 8

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

static void measure(struct lab *lab, bool is_detached, double task_ns, unsigned workers)
{
    double budget = (double)lab_size(lab, 100000000, 500000), serial[ROUNDS_MOST], all[ROUNDS_MOST],
           cpu_serial[ROUNDS_MOST], cpu_one[ROUNDS_MOST], off[ROUNDS_MOST];
    size_t n = (size_t)(budget / task_ns), rounds = lab_size(lab, 5, 1);

    n = n > TASKS_MOST ? TASKS_MOST : n > workers ? n : workers;
    turns = work_turns(task_ns);
    for (size_t r = 0; r < rounds; r++) {
        uint64_t cpu = work_process_ns();

        serial[r] = run_serial(n);
        cpu_serial[r] = (double)(work_process_ns() - cpu);
        flood_start(lab, 1, WS_VICTIM_DEFAULT);
        cpu = work_process_ns();
        (void)run(lab, is_detached, n);
        cpu_one[r] = (double)(work_process_ns() - cpu);
        flood_stop(lab);
        flood_start(lab, workers, WS_VICTIM_DEFAULT);
        all[r] = run(lab, is_detached, n);
        off[r] = imbalance(lab, is_detached, n, workers);
        flood_stop(lab);
    }

    double ts = lab_median(serial, rounds), tp = lab_median(all, rounds), cpu = lab_median(cpu_serial, rounds);
    double more = lab_median(cpu_one, rounds) - cpu;

    lab_row(lab, "%s,%.0f,%zu,%u,%.1f,%.2f,%.2f,%.0f,%.2f", is_detached ? "detached" : "spawned", task_ns, n, workers,
            more / (double)n, 1 + more / cpu, ts / tp, 100 * ts / tp / workers, lab_median(off, rounds));
}

void lab_grain(struct lab *lab)
{
    unsigned workers = machine_cpus() < LAB_THREADS_MOST ? (unsigned)machine_cpus() : LAB_THREADS_MOST;

    lab_table(lab, "", "kind,task_ns,tasks,workers,overhead_ns,cpu_1_by_serial,speedup,efficiency_percent,most_by_even");
    for (unsigned is_detached = 0; is_detached < 2; is_detached++)
        for (double ns = 10; ns <= (lab->quick ? 1e4 : 1e7); ns *= 10)
            measure(lab, is_detached, ns, workers);
}
