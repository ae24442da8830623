/* SPDX-License-Identifier: MIT */
#include "flood.h"

#include "base/atomic.h"
#include "work.h"

#include <string.h>

/* How long sources wait for each other; then they begin. */
#define TOGETHER_NS UINT64_C(200000000)

struct source {
    struct stamp *stamps;
    size_t n;
    ws_group *tasks;
    unsigned sources, *arrived; /* shared by all sources */
};

void flood_start(struct lab *lab, unsigned workers)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    lab_need(lab, ws_init(&config) == 0 && ws_num_workers() == workers, "the runtime");
}

void flood_stop(struct lab *lab)
{
    lab_must(lab, ws_fini() == 0, "nothing is pending at the end");
}

void flood_task(void *argument)
{
    struct stamp *s = argument;

    s->begun = sample_now();
    s->worker = (unsigned)ws_worker_id();
    (void)add_relaxed(&s->runs, 1u); /* a second run may be on another thread */
    if (s->turns)
        work(s->turns);
    s->ended = sample_now();
}

static void submit_all(void *argument)
{
    struct source *s = argument;
    uint64_t until = sample_now() + TOGETHER_NS;

    (void)add_acq_rel(s->arrived, 1u);
    while (load_acquire(s->arrived) < s->sources && sample_now() < until)
        ;
    for (size_t i = 0; i < s->n; i++) {
        s->stamps[i].source = (unsigned)ws_worker_id();
        s->stamps[i].due = s->stamps[i].submitted = sample_now();
        (void)ws_group_submit(s->tasks, flood_task, &s->stamps[i]);
    }
}

double flood(struct lab *lab, struct stamp *stamps, size_t n, unsigned sources)
{
    struct source all[LAB_THREADS_MOST];
    ws_group roots = WS_GROUP_INIT, tasks = WS_GROUP_INIT;
    unsigned arrived = 0;
    size_t once = 0;
    uint64_t first = UINT64_MAX, last = 0;

    lab_need(lab, sources <= LAB_THREADS_MOST, "fewer sources");
    for (unsigned i = 0; i < sources; i++) {
        size_t from = n * i / sources;

        all[i] = (struct source){stamps + from, n * (i + 1) / sources - from, &tasks, sources, &arrived};
        lab_need(lab, ws_group_submit(&roots, submit_all, &all[i]) == 0, "a task");
    }
    lab_need(lab, ws_group_wait(&roots) == 0 && ws_group_wait(&tasks) == 0, "an end");
    for (size_t i = 0; i < n; i++) {
        once += stamps[i].runs == 1;
        first = stamps[i].submitted < first ? stamps[i].submitted : first;
        last = stamps[i].ended > last ? stamps[i].ended : last;
    }
    if (once != n)
        lab_must(lab, false, "%zu of %zu tasks have run once", once, n);
    return (double)(last - first) * 1e-9;
}

void flood_fill(struct stamp *stamps, size_t n, double work_ns)
{
    uint64_t turns = work_ns > 0 ? work_turns(work_ns) : 0;

    for (size_t i = 0; i < n; i++)
        stamps[i] = (struct stamp){.turns = turns};
}

void flood_shares(const struct stamp *stamps, size_t n, struct flood_share *shares, unsigned workers)
{
    memset(shares, 0, workers * sizeof *shares);
    for (size_t i = 0; i < n; i++) {
        if (stamps[i].worker >= workers)
            continue;
        shares[stamps[i].worker].tasks++;
        shares[stamps[i].worker].busy_ns += stamps[i].ended - stamps[i].begun;
    }
}

struct ws_stats flood_stats(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    (void)ws_stats_get(&stats);
    return stats;
}
