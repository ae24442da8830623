/* SPDX-License-Identifier: MIT */
/*
 * Experiment 16: how long parents wait at their syncs for stolen children, against the critical path. Trees of tasks
 * with a random number of children at random depth and with random work; one seed always gives the same tree.
 */
#include "flood.h"
#include "rounds.h"

#include "base/atomic.h"
#include "work.h"

#define CHILDREN_MOST 4
#define DEPTH_MOST 8
#define WAITS_MOST 20000
/* Frames nearer to each other than this are on one stack: stacks are megabytes apart. */
#define SAME_STACK 262144
/* The time of a sync that only runs its children, without the children. */
#define SYNC_NS 2000.0

static double waits[WAITS_MOST];
static unsigned num_waits, nodes;
static double unit_ns;

/* A number for each node, from its parent's. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u; /* Steele, Lea, Flood 2014: splitmix64 */
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static unsigned children_of(uint64_t seed, unsigned depth)
{
    if (depth == 0)
        return CHILDREN_MOST;
    return depth == DEPTH_MOST ? 0 : (unsigned)(mix(seed + 1) % (CHILDREN_MOST + 1));
}

/* Work of a node, in nanoseconds: half of it before its children, half after. */
static double work_of(uint64_t seed)
{
    return unit_ns * (double)(mix(seed + 2) % 100);
}

struct sums {
    double work, span;
    unsigned nodes;
};

/* The tree's work and span: each child may run in parallel with all that its parent does until the sync. */
static struct sums sums_of(uint64_t seed, unsigned depth)
{
    struct sums s = {work_of(seed), 0, 1};

    for (unsigned i = 0; i < children_of(seed, depth); i++) {
        struct sums child = sums_of(mix(seed + 3 + i), depth + 1);

        s.work += child.work;
        s.nodes += child.nodes;
        s.span = child.span > s.span ? child.span : s.span;
    }
    s.span += work_of(seed);
    return s;
}

struct ended {
    char *frame;
    uint64_t took, begun;
};

static WS_TASK_VOID(node, uint64_t, seed, unsigned, depth, struct ended *, ended)
{
    struct ended children[CHILDREN_MOST] = {{NULL, 0, 0}};
    unsigned n = children_of(seed, depth);
    uint64_t begun = sample_now(), synced, now;
    char here;

    (void)add_relaxed(&nodes, 1u);
    work(work_turns(work_of(seed) / 2));
    for (unsigned i = 0; i < n; i++)
        ws_spawn(node, mix(seed + 3 + i), depth + 1, &children[i]);
    synced = sample_now();
    ws_sync();
    now = sample_now();

    double waited = (double)(now - synced);
    bool stolen = false;

    for (unsigned i = 0; i < n; i++) {
        long distance = (long)((intptr_t)children[i].frame - (intptr_t)&here);

        if (distance < SAME_STACK && distance > -SAME_STACK)
            waited -= (double)children[i].took; /* run here, during the sync */
        else
            stolen = true;
    }
    if (stolen && waited > SYNC_NS) {
        unsigned slot = add_relaxed(&num_waits, 1u);

        if (slot < WAITS_MOST)
            waits[slot] = waited;
    }
    work(work_turns(work_of(seed) / 2));
    *ended = (struct ended){&here, sample_now() - begun, begun};
}

/* Of one run. */
struct run {
    double ms, suspensions, wait_us, longest_us, waits_ms;
};

static struct run run(struct lab *lab, unsigned workers, uint64_t seed, const struct sums *sums)
{
    struct ended ended;
    struct sample s = {0};
    struct run r = {0};
    uint64_t start;

    flood_start(lab, workers, WS_VICTIM_DEFAULT);
    num_waits = nodes = 0;
    start = sample_now();
    lab_need(lab, ws_run(node, seed, 0u, &ended) == 0, "a region");
    r.ms = (double)(sample_now() - start) * 1e-6;
    r.suspensions = (double)flood_stats().suspensions;
    flood_stop(lab);
    lab_must(lab, nodes == sums->nodes, "each node of a tree has run once");
    lab_must(lab, workers > 1 || r.suspensions == 0, "with one worker nobody waits for another");
    num_waits = num_waits < WAITS_MOST ? num_waits : WAITS_MOST;
    for (unsigned i = 0; i < num_waits; i++)
        r.waits_ms += waits[i] * 1e-6;
    if (num_waits)
        s = sample_of(waits, num_waits);
    r.wait_us = s.median * 1e-3;
    r.longest_us = s.max * 1e-3;
    return r;
}

struct plan {
    struct lab_list workers;
    size_t trees;
    uint64_t seeds[8];
    struct sums sums[8];
};

enum figure { MS, SUSPENSIONS, WAIT_US, LONGEST_US, WAITS_MS, FIGURES };

/* A line for each tree and each number of workers. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    size_t tree = line / p->workers.n;
    struct run now = run(lab, (unsigned)p->workers.at[line % p->workers.n], p->seeds[tree], &p->sums[tree]);

    figures[MS] = now.ms;
    figures[SUSPENSIONS] = now.suspensions;
    figures[WAIT_US] = now.wait_us;
    figures[LONGEST_US] = now.longest_us;
    figures[WAITS_MS] = now.waits_ms;
}

static void show(struct lab *lab, const struct plan *p, const struct rounds *r, size_t line)
{
    size_t tree = line / p->workers.n;
    const struct sums *sums = &p->sums[tree];
    double workers = p->workers.at[line % p->workers.n];

    lab_row(lab, "%llu,%.0f,%u,%.2f,%.2f,%.2f,%.2f,%.0f,%.1f,%.1f,%.2f", (unsigned long long)p->seeds[tree], workers,
            sums->nodes, sums->work * 1e-6, sums->span * 1e-6, (sums->work / workers + sums->span) * 1e-6,
            rounds_median(lab, r, line, MS), rounds_median(lab, r, line, SUSPENSIONS),
            rounds_median(lab, r, line, WAIT_US), rounds_median(lab, r, line, LONGEST_US),
            rounds_median(lab, r, line, WAITS_MS));
}

void lab_joins(struct lab *lab)
{
    struct plan p = {.workers = lab_values(lab, LAB_WORKERS, (struct lab_list){3, {1, 2, 4}}, 3),
                     .trees = lab_size(lab, 5, 2)};
    uint64_t seed = 0;
    struct rounds r;

    unit_ns = lab->quick ? 10 : 1000;
    lab_table(lab, "",
              "seed,workers,tasks,work_ms,span_ms,bound_ms,ms,suspensions,wait_median_us,wait_longest_us,waits_ms");
    for (size_t i = 0; i < p.trees; i++) {
        do
            p.sums[i] = sums_of(++seed, 0);
        while (p.sums[i].nodes < 500 || p.sums[i].nodes > 10000);
        p.seeds[i] = seed;
    }
    r = rounds_measure(lab, p.trees * p.workers.n, FIGURES, lab_size(lab, 9, 1), measure, &p);
    for (size_t line = 0; line < r.lines; line++)
        show(lab, &p, &r, line);
    rounds_free(&r);
}
