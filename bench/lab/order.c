/* SPDX-License-Identifier: MIT */
/*
 * Experiment 7: the order in which an owner takes from its run queue. A tree of detached tasks over an array: a task
 * reads its part and submits its two halves. First in, first out walks the tree level by level; last in, first out
 * stays in one part, which is in the cache, and leaves few tasks waiting.
 */
#include "flood.h"
#include "rounds.h"

#include "base/atomic.h"
#include "base/policy.h"
#include "core/worker.h"

#include <stdlib.h>

#define LEAF 1024 /* elements, 4 KiB */

struct tree {
    ws_group group;
    uint32_t *data;
    size_t length;      /* a power of two */
    struct part *parts; /* as a heap: the halves of i are 2 i and 2 i + 1 */
    uint64_t sum;
    long waiting, most_waiting; /* tasks that are submitted and have not begun */
    unsigned leaves;
};

struct part {
    struct tree *tree;
    size_t number, from, length;
};

static void submit(struct tree *t, size_t number, size_t from, size_t length);

static void visit(void *arg)
{
    struct part *p = arg;
    struct tree *t = p->tree;
    uint64_t sum = 0;

    (void)add_relaxed(&t->waiting, -1L);
    for (size_t i = 0; i < p->length; i++)
        sum += t->data[p->from + i];
    if (p->length <= LEAF) {
        (void)add_relaxed(&t->sum, sum);
        (void)add_relaxed(&t->leaves, 1u);
        return;
    }
    __asm__ volatile("" : : "r"(sum)); /* keeps the reads of an inner part */
    submit(t, 2 * p->number, p->from, p->length / 2);
    submit(t, 2 * p->number + 1, p->from + p->length / 2, p->length / 2);
}

static void submit(struct tree *t, size_t number, size_t from, size_t length)
{
    struct part *p = &t->parts[number];
    long waiting = add_relaxed(&t->waiting, 1L) + 1, most = load_relaxed(&t->most_waiting);

    while (waiting > most && !cas_acq_rel(&t->most_waiting, &most, waiting))
        ;
    *p = (struct part){t, number, from, length};
    (void)ws_group_submit(&t->group, visit, p);
}

static void root(void *arg)
{
    struct tree *t = arg;

    submit(t, 1, 0, t->length);
}

/* Seconds for one walk. */
static double walk(struct lab *lab, struct tree *t, unsigned workers, bool lifo)
{
    uint64_t start;

    flood_start(lab, workers, WS_VICTIM_DEFAULT);
    wsfj_policy.ring_lifo = lifo; /* nothing is submitted yet, so no thread reads it */
    t->sum = 0;
    t->leaves = 0;
    t->waiting = t->most_waiting = 0;
    ws_group_init(&t->group);
    start = sample_now();
    lab_need(lab, ws_group_submit(&t->group, root, t) == 0 && ws_group_wait(&t->group) == 0, "an end");

    double seconds = (double)(sample_now() - start) * 1e-9;

    flood_stop(lab);
    wsfj_policy = (struct wsfj_policy)WSFJ_POLICY;
    return seconds;
}

enum figure { SECONDS, WAITING, FIGURES };

struct plan {
    struct tree tree;
    struct lab_list workers;
};

/* Two lines for each number of workers: first in first out, last in first out. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    unsigned leaves = (unsigned)(p->tree.length / LEAF);

    figures[SECONDS] = walk(lab, &p->tree, (unsigned)p->workers.at[line / 2], line % 2);
    figures[WAITING] = (double)p->tree.most_waiting;
    lab_must(lab, p->tree.leaves == leaves, "each of %u leaves was visited: %u", leaves, p->tree.leaves);
}

static void show(struct lab *lab, const struct rounds *r, size_t line, unsigned workers, size_t length)
{
    double levels = 1, ms = rounds_median(lab, r, line, SECONDS) * 1e3;
    struct sample_ratio ratio =
        sample_compare(rounds_values(r, line & ~(size_t)1, SECONDS), rounds_values(r, line, SECONDS), r->rounds);

    for (size_t part = length; part > LEAF; part /= 2)
        levels++;
    lab_row(lab, "%u,%s,%.2f,%s,%.1f,%.0f", workers, line % 2 ? "last in first out" : "first in first out", ms,
            lab_ratio(ratio).text, levels * (double)length * sizeof(uint32_t) / 1048576 / ms,
            rounds_median(lab, r, line, WAITING));
}

void lab_order(struct lab *lab)
{
    size_t length = lab_size(lab, (size_t)1 << 23, (size_t)1 << 16);
    struct plan p = {.tree = {.length = length,
                              .data = lab_alloc(lab, length, sizeof *p.tree.data),
                              .parts = lab_alloc(lab, 2 * length / LEAF + 2, sizeof *p.tree.parts)},
                     .workers = lab_values(lab, LAB_WORKERS, (struct lab_list){2, {1, 2}}, 2)};
    struct rounds r;

    lab_table(lab, "", "workers,order,ms,times_fifo,least,most,mib_per_ms,most_waiting");
    for (size_t i = 0; i < length; i++)
        p.tree.data[i] = (uint32_t)i;
    r = rounds_measure(lab, 2 * p.workers.n, FIGURES, lab_size(lab, 21, 1), measure, &p);
    for (size_t line = 0; line < r.lines; line++)
        show(lab, &r, line, (unsigned)p.workers.at[line / 2], length);
    for (size_t line = 0; line < r.lines; line += 2) {
        unsigned workers = (unsigned)p.workers.at[line / 2];

        if (workers == 1)
            lab_must(lab, rounds_median(lab, &r, line + 1, WAITING) < rounds_median(lab, &r, line, WAITING),
                     "one worker, last in first out: %.0f tasks wait at most, %.0f the other way",
                     rounds_median(lab, &r, line + 1, WAITING), rounds_median(lab, &r, line, WAITING));
        (void)lab_differs(lab, rounds_values(&r, line, SECONDS), rounds_values(&r, line + 1, SECONDS), r.rounds,
                          "%u worker%s, last in first out takes", workers, workers == 1 ? "" : "s");
    }
    rounds_free(&r);
    free(p.tree.data);
    free(p.tree.parts);
}
