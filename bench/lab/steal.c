/* SPDX-License-Identifier: MIT */
/* Experiment 4: the cost of stealing half, by the length of the victim's queue: from another thread, and from the same
 * thread. */
#include "crew.h"
#include "rounds.h"

#include "base/atomic.h"
#include "queue/run_queue.h"
#include "task/item.h"

#include <stdlib.h>
#include <string.h>

#define VALUES_MOST 500
/* One value is the mean of so many steals: the clock counts in tens of nanoseconds. */
#define QUEUES 8

struct scene {
    struct wsfj_run_queue victims[QUEUES], own[QUEUES];
    struct wsfj_entry entries[2 * QUEUES][WSFJ_RUN_QUEUE_SIZE];
    unsigned length, turn; /* even: the victim's turn, odd: the thief's */
    unsigned bound;        /* threads with a processor of their own */
    size_t n;
    unsigned items; /* moved by a steal */
    double ns[VALUES_MOST];
};

static void nothing(void *arg)
{
    (void)arg;
}

static void wait_for(unsigned *turn, unsigned value)
{
    for (unsigned i = 0; load_acquire(turn) != value; i++)
        crew_pause(i);
}

static void fill(struct scene *s)
{
    struct wsfj_item item;

    for (unsigned r = 0; r < QUEUES; r++) {
        while (wsfj_run_queue_pop(&s->victims[r], &item))
            ;
        for (unsigned i = 0; i < s->length; i++)
            (void)wsfj_run_queue_push(&s->victims[r], (struct wsfj_item){nothing, s, NULL});
    }
}

static void steal(struct scene *s, size_t i)
{
    struct wsfj_item item;
    uint64_t start = sample_now();

    for (unsigned r = 0; r < QUEUES; r++)
        s->items = wsfj_run_queue_steal(&s->victims[r], &s->own[r], &item);
    s->ns[i] = (double)(sample_now() - start);
    for (unsigned r = 0; r < QUEUES; r++)
        while (wsfj_run_queue_pop(&s->own[r], &item))
            ;
}

/* Two threads alternate: the data that the thief reads are in the other's cache. */
static void in_turn(void *context, unsigned self)
{
    struct scene *s = context;

    (void)add_acq_rel(&s->bound, (unsigned)crew_bind(self));
    for (unsigned i = 0; i < s->n; i++) {
        wait_for(&s->turn, 2 * i + self);
        if (self == 0)
            fill(s);
        else
            steal(s, i);
        store_release(&s->turn, 2 * i + self + 1);
    }
}

static void alone(void *context, unsigned self)
{
    struct scene *s = context;

    (void)self;
    for (size_t i = 0; i < s->n; i++) {
        fill(s);
        steal(s, i);
    }
}

/* The cost of reading the clock, which is part of each value. */
static double clock_ns(void)
{
    double ns[1001];

    for (unsigned i = 0; i < 1001; i++) {
        uint64_t start = sample_now();

        ns[i] = (double)(sample_now() - start);
    }
    return lab_median(ns, 1001);
}

static const unsigned lengths[] = {1, 10, 50, 100, 200, 256};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

enum figure { NS, P90, FIGURES };

struct plan {
    struct scene *scene;
    double clock;
};

/* A line for each length of the thread's own queue, then of another thread's. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    struct scene *s = p->scene;
    bool other = line / LENGTHS;
    struct sample values;

    memset(s, 0, sizeof *s);
    for (int i = 0; i < QUEUES; i++) {
        s->victims[i].entries = s->entries[i];
        s->own[i].entries = s->entries[QUEUES + i];
    }
    s->length = lengths[line % LENGTHS];
    s->n = lab_size(lab, VALUES_MOST, 50);
    crew_run(lab, other + 1, other ? in_turn : alone, s);
    values = sample_of(s->ns, s->n);
    figures[NS] = (values.median > p->clock ? values.median - p->clock : 0) / QUEUES;
    figures[P90] = (values.p90 > p->clock ? values.p90 - p->clock : 0) / QUEUES;
    lab_must(lab, s->items == (s->length + 1) / 2, "of %u items a thief moves %u in one step", s->length, s->items);
    if (other)
        lab_saw(lab, s->bound == 2, "the two threads have a processor each");
}

void lab_steal(struct lab *lab)
{
    struct plan p = {aligned_alloc(WSFJ_CACHE_LINE, sizeof *p.scene), clock_ns()};
    double per_item[LENGTHS];
    struct rounds r;

    lab_need(lab, p.scene != NULL, "memory");
    lab_table(lab, "", "victim,length,items,ns_per_steal,ns_per_item,p90_ns");
    r = rounds_measure(lab, 2 * (size_t)LENGTHS, FIGURES, lab_size(lab, 9, 1), measure, &p);
    for (size_t line = 0; line < r.lines; line++) {
        unsigned length = lengths[line % LENGTHS], items = (length + 1) / 2;
        double ns = rounds_median(lab, &r, line, NS);

        per_item[line % LENGTHS] = ns / items; /* another thread's come last */
        lab_row(lab, "%s,%u,%u,%.1f,%.2f,%.1f", line / LENGTHS ? "another thread's" : "its own", length, items, ns,
                ns / items, rounds_median(lab, &r, line, P90));
    }
    lab_saw(lab, per_item[4] < per_item[2],
            "an item costs less the more are taken at once: %.1f ns of %u, %.1f ns of %u waiting", per_item[2],
            lengths[2], per_item[4], lengths[4]);
    rounds_free(&r);
    free(p.scene);
}
