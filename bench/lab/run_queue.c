/* SPDX-License-Identifier: MIT */
/* Experiment 2: a worker's run queue under its owner, which pushes and pops, and two thieves at the same time. */
#include "crew.h"

#include "base/atomic.h"
#include "queue/run_queue.h"
#include "task/item.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 3
#define OWNER 0
#ifdef WSFJ_CHAOS
#define QUICK_ITEMS 20000 /* the library's steps may sleep under chaos */
#else
#define QUICK_ITEMS 1000000 /* long enough for the kernel to switch often: the three do meet */
#endif

/* The counts of one thread, its own. */
struct counts {
    _Alignas(WSFJ_CACHE_LINE) uint64_t pushed, full, tries, got, items;
};

struct scene {
    struct wsfj_run_queue queues[THREADS]; /* the owner's is the one that all use */
    struct wsfj_entry entries[THREADS][WSFJ_RUN_QUEUE_SIZE];
    struct counts counts[THREADS];
    uint32_t *taken; /* how often each item was taken */
    size_t n;
    bool done; /* all items are pushed, and the owner's run queue is empty */
};

static void nothing(void *arg)
{
    (void)arg;
}

/* An item is its number plus 1: NULL is no item's argument. */
static void take(struct scene *s, struct counts *c, struct wsfj_item item)
{
    (void)add_relaxed(&s->taken[(uintptr_t)item.arg - 1], 1u);
    c->items++;
}

static void owner(struct scene *s, struct counts *c)
{
    struct wsfj_run_queue *queue = &s->queues[OWNER];
    struct wsfj_item item;
    uint64_t random = 88172645463325252u;

    for (size_t i = 0; i < s->n;) {
        size_t burst =
            (random = random * 6364136223846793005u + 1) >> 55; /* up to 511 pushes, then as many pops or fewer */

        for (size_t k = 0; k < burst && i < s->n; k++) {
            if (wsfj_run_queue_push(queue, (struct wsfj_item){nothing, (void *)(i + 1), NULL})) {
                c->pushed++;
                i++;
            } else {
                c->full++;
                break;
            }
        }
        for (size_t k = 0; k < burst / 2; k++) {
            c->tries++;
            if (!wsfj_run_queue_pop(queue, &item))
                break;
            c->got++;
            take(s, c, item);
        }
    }
    for (; wsfj_run_queue_pop(queue, &item); c->got++, c->tries++)
        take(s, c, item);
    store_release(&s->done, true); /* a thief that reads this finds an empty run queue */
}

static void thief(struct scene *s, struct counts *c, unsigned self)
{
    struct wsfj_item item;

    for (unsigned turn = 0; !load_acquire(&s->done); turn++) {
        unsigned n = wsfj_run_queue_steal(&s->queues[OWNER], &s->queues[self], &item);

        c->tries++;
        crew_pause(turn);
        if (n == 0)
            continue;
        c->got++;
        take(s, c, item);
        while (wsfj_run_queue_pop(&s->queues[self], &item))
            take(s, c, item);
    }
}

static void play(void *context, unsigned self)
{
    struct scene *s = context;

    if (self == OWNER)
        owner(s, &s->counts[self]);
    else
        thief(s, &s->counts[self], self);
}

void lab_run_queue(struct lab *lab)
{
    size_t n = (size_t)lab_value(lab, LAB_COUNT, 10000000, QUICK_ITEMS), once = 0, more = 0;
    struct scene *s = aligned_alloc(WSFJ_CACHE_LINE, sizeof *s);
    uint64_t items = 0;

    lab_need(lab, s != NULL, "memory");
    memset(s, 0, sizeof *s);
    for (int i = 0; i < THREADS; i++)
        s->queues[i].entries = s->entries[i];
    s->n = n;
    s->taken = lab_alloc(lab, n, sizeof *s->taken);
    crew_run(lab, THREADS, play, s);
    lab_table(lab, "", "who,pushed,refused_full,takes_tried,takes_won,items,items_per_take");
    for (unsigned i = 0; i < THREADS; i++) {
        const struct counts *c = &s->counts[i];
        const char *names[] = {"owner", "thief 1", "thief 2"};

        items += c->items;
        lab_row(lab, "%s,%llu,%llu,%llu,%llu,%llu,%.1f", names[i], (unsigned long long)c->pushed,
                (unsigned long long)c->full, (unsigned long long)c->tries, (unsigned long long)c->got,
                (unsigned long long)c->items, c->got ? (double)c->items / (double)c->got : 0.0);
    }
    for (size_t i = 0; i < n; i++) {
        once += s->taken[i] == 1;
        more += s->taken[i] > 1;
    }
    lab_must(lab, once == n && more == 0, "of %zu items each was taken once: %zu once, %zu more often", n, once, more);
    lab_must(lab, items == n, "%llu items in all", (unsigned long long)items);
    lab_saw(lab, s->counts[1].items && s->counts[2].items, "both thieves have had some");
    free(s->taken);
    free(s);
}
