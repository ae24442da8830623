/* SPDX-License-Identifier: MIT */
/*
 * Experiment 7: the order in which an owner takes from its run queue. A tree of detached tasks over an array: a task
 * reads its part and submits its two halves. First in, first out walks the tree level by level; last in, first out
 * stays in one part, which is in the cache, and leaves few tasks waiting.
 */
#include "flood.h"

#include "base/atomic.h"
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
    for (unsigned i = 0; i < workers; i++)
        wsfj_workers[i].detached.queue.lifo = lifo; /* nothing is submitted yet, so no thread reads it */
    t->sum = 0;
    t->leaves = 0;
    t->waiting = t->most_waiting = 0;
    ws_group_init(&t->group);
    start = sample_now();
    lab_need(lab, ws_group_submit(&t->group, root, t) == 0 && ws_group_wait(&t->group) == 0, "an end");

    double seconds = (double)(sample_now() - start) * 1e-9;

    flood_stop(lab);
    return seconds;
}

void lab_order(struct lab *lab)
{
    size_t length = lab_size(lab, (size_t)1 << 23, (size_t)1 << 16), rounds = lab_size(lab, 9, 1);
    struct tree t = {.length = length,
                     .data = lab_alloc(lab, length, sizeof *t.data),
                     .parts = lab_alloc(lab, 2 * length / LEAF + 2, sizeof *t.parts)};
    unsigned leaves = (unsigned)(length / LEAF);

    lab_table(lab, "", "workers,order,ms,mib_per_ms,most_waiting");
    for (size_t i = 0; i < length; i++)
        t.data[i] = (uint32_t)i;
    for (unsigned workers = 1; workers <= 2; workers++) {
        double seconds[2][16], waiting[2][16];

        for (size_t r = 0; r < rounds; r++) {
            for (unsigned lifo = 0; lifo < 2; lifo++) {
                seconds[lifo][r] = walk(lab, &t, workers, lifo);
                waiting[lifo][r] = (double)t.most_waiting;
                lab_must(lab, t.leaves == leaves, "each of %u leaves was visited: %u", leaves, t.leaves);
            }
        }
        for (unsigned lifo = 0; lifo < 2; lifo++) {
            double levels = 1, ms = lab_median(seconds[lifo], rounds) * 1e3;

            for (size_t part = length; part > LEAF; part /= 2)
                levels++;
            lab_row(lab, "%u,%s,%.2f,%.1f,%.0f", workers, lifo ? "last in first out" : "first in first out", ms,
                    levels * (double)length * sizeof *t.data / 1048576 / ms, lab_median(waiting[lifo], rounds));
        }
        if (workers == 1)
            lab_must(lab, lab_median(waiting[1], rounds) < lab_median(waiting[0], rounds),
                     "one worker, last in first out: %.0f tasks wait at most, %.0f the other way",
                     lab_median(waiting[1], rounds), lab_median(waiting[0], rounds));
        lab_saw(lab, lab_median(seconds[1], rounds) < lab_median(seconds[0], rounds),
                "%u worker%s, last in first out takes %.2f times as long", workers, workers == 1 ? "" : "s",
                lab_median(seconds[1], rounds) / lab_median(seconds[0], rounds));
    }
    free(t.data);
    free(t.parts);
}
