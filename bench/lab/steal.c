/* SPDX-License-Identifier: MIT */
/* Experiment 4: the cost of stealing half, by the length of the victim's queue: from another thread, and from the same
 * thread. */
#include "crew.h"

#include "base/atomic.h"
#include "queue/run_queue.h"
#include "task/item.h"

#include <stdlib.h>
#include <string.h>

#define VALUES_MOST 2000
/* One value is the mean of so many steals: the clock counts in tens of nanoseconds. */
#define RINGS 8

struct scene {
    struct wsfj_run_queue victims[RINGS], own[RINGS];
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

    for (unsigned r = 0; r < RINGS; r++) {
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

    for (unsigned r = 0; r < RINGS; r++)
        s->items = wsfj_run_queue_steal(&s->victims[r], &s->own[r], &item);
    s->ns[i] = (double)(sample_now() - start);
    for (unsigned r = 0; r < RINGS; r++)
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

void lab_steal(struct lab *lab)
{
    static const unsigned lengths[] = {1, 10, 50, 100, 200, 256};
    struct scene *s = aligned_alloc(WSFJ_CACHE_LINE, sizeof *s);
    double clock = clock_ns(), of_50 = 0, of_200 = 0;

    lab_need(lab, s != NULL, "memory");
    lab_table(lab, "", "victim,length,items,ns_per_steal,ns_per_item,p90_ns");
    for (unsigned other = 0; other < 2; other++) {
        for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            memset(s, 0, sizeof *s);
            s->length = lengths[k];
            s->n = lab_size(lab, VALUES_MOST, 50);
            crew_run(lab, other + 1, other ? in_turn : alone, s, NULL);

            struct sample values = sample_of(s->ns, s->n);
            double ns = (values.median > clock ? values.median - clock : 0) / RINGS;

            lab_must(lab, s->items == (lengths[k] + 1) / 2, "of %u items a thief moves %u in one step", lengths[k],
                     s->items);
            lab_row(lab, "%s,%u,%u,%.1f,%.2f,%.1f", other ? "another thread's" : "its own", lengths[k], s->items, ns,
                    ns / s->items, (values.p90 > clock ? values.p90 - clock : 0) / RINGS);
            if (other && lengths[k] == 50)
                of_50 = ns / s->items;
            if (other && lengths[k] == 200)
                of_200 = ns / s->items;
        }
    }
    lab_saw(lab, s->bound == 2, "the two threads have a processor each");
    lab_saw(lab, of_200 < of_50, "an item costs less the more are taken at once: %.1f ns of 50, %.1f ns of 200 waiting",
            of_50, of_200);
    free(s);
}
