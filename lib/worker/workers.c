/* SPDX-License-Identifier: MIT */
#include "worker/workers.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "base/mapping.h"
#include "base/thread.h"
#include "config/settings.h"
#include "machine/affinity.h"
#include "machine/placement.h"
#include "machine/tier.h"
#include "machine/topology.h"
#include "worker/awake.h"
#include "worker/reach.h"
#include "worker/victim.h"
#include "worker/worker.h"

#include <sched.h>
#include <stdlib.h>

struct wsfj_worker *wsfj_workers;
unsigned wsfj_num_workers;
static unsigned num_mapped; /* for how many workers the mapping has room: at least wsfj_num_workers */

/* The processors of each place, one place after the other; the workers' lists point into this array. */
static unsigned *cpus;

/* Which workers are near each other. */
static struct wsfj_victim_order order;

/* By processor number below num_seats: the first worker that is bound to it, or NULL. */
static struct wsfj_worker **seats;
static unsigned num_seats;

void wsfj_worker_bind(struct wsfj_worker *w)
{
    /* A processor may have gone offline since the start read the machine; then the kernel places the thread. */
    if (w->num_cpus && !wsfj_reach_bind(w) && wsfj_settings.display)
        wsfj_say("worker %u is not bound: CPU %u is offline", w->id, w->cpus[0]);
    store_release(&w->tid, wsfj_thread_id()); /* bound before, for wsfj_worker_thread() (acquire) */
}

/* All that depends on the number of workers but their own memory. */
static void free_plan(void)
{
    wsfj_victim_order_free(&order);
    wsfj_reach_free();
    free(cpus);
    free(seats);
    cpus = NULL;
    seats = NULL;
}

/* The entries of all run queues come after the workers, in the same mapping. */
#define ENTRIES_SIZE (WSFJ_RUN_QUEUE_SIZE * sizeof(struct wsfj_entry))

static size_t entries_offset(unsigned workers)
{
    return wsfj_whole_pages(workers * sizeof *wsfj_workers);
}

void wsfj_workers_free(void)
{
    free_plan();
    if (wsfj_workers)
        wsfj_unmap_shown(wsfj_workers, entries_offset(num_mapped) + num_mapped * ENTRIES_SIZE);
    wsfj_workers_forget();
}

/* Fills in `seats`. False if there is no memory. */
static bool assign_seats(void)
{
    unsigned end = 0;

    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        for (unsigned j = 0; j < wsfj_workers[i].num_cpus; j++)
            end = wsfj_workers[i].cpus[j] < end ? end : wsfj_workers[i].cpus[j] + 1;
    }
    num_seats = end;
    if (end && !(seats = wsfj_calloc(end, sizeof *seats)))
        return false;
    for (unsigned i = wsfj_num_workers; i-- > 0;) {
        for (unsigned j = 0; j < wsfj_workers[i].num_cpus; j++)
            seats[wsfj_workers[i].cpus[j]] = &wsfj_workers[i];
    }
    return true;
}

struct wsfj_worker *wsfj_worker_here(void)
{
    unsigned cpu;

    if (num_seats == 0)
        return NULL;
    cpu = (unsigned)sched_getcpu();                            /* -1, an error, becomes a large number */
    return cpu < load_relaxed(&num_seats) ? seats[cpu] : NULL; /* read again: no register is saved for the call */
}

/* Sets what depends on the worker's place. */
static void fill_in(struct wsfj_worker *w, const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    unsigned n;
    const unsigned *units = wsfj_placement_units(l, w->id, &n);

    w->cpus = l->bound ? cpus + (units - l->member) : NULL;
    w->num_cpus = l->bound ? n : 0;
    w->cache.node = wsfj_placement_node(l, t, w->id);
    wsfj_victims_make(&w->victims, &order, w->id);
    wsfj_reach_begin(w);
}

/* False if there is no memory. */
static bool make_order(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    unsigned *near = wsfj_malloc(l->workers * sizeof *near);
    enum wsfj_tier *gap = wsfj_malloc(l->workers * sizeof *gap);
    bool ok = near && gap && wsfj_placement_neighbours(l, t, near);

    for (unsigned i = 1; ok && i < l->workers; i++)
        gap[i] = wsfj_placement_tier(l, t, near[i - 1], near[i]);
    ok = ok && wsfj_victim_order_make(&order, l->workers, near, gap, wsfj_awake_set);
    free(near);
    free(gap);
    return ok;
}

/* Touches each worker on its own node: the kernel puts a page on the node of the first thread that touches it (decision
 * 8). A page that several workers share is on the node of the first. The entries of the run queue are left to the thread that
 * submits first, which is bound to the worker's place by then: most of them are never used and take no memory. */
static void touch(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    struct wsfj_mask before;
    unsigned here = 0;
    bool moved = false;

    for (unsigned i = 0; i < l->workers; i++) {
        unsigned n, node = wsfj_placement_node(l, t, i);
        const unsigned *units = wsfj_placement_units(l, i, &n);
        volatile char *first = (volatile char *)&wsfj_workers[i];

        if (node != here && (moved || wsfj_mask_read(&before, 0)))
            moved = wsfj_affinity_bind(cpus + (units - l->member), n) || moved;
        here = node;
        *first = *(first + sizeof *wsfj_workers - 1) = 0; /* it is smaller than a page */
    }
    if (moved)
        (void)sched_setaffinity(0, sizeof before.sets, before.sets);
}

/* False if there is no memory. */
static bool list_cpus(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    unsigned members = l->end[l->places - 1];

    cpus = wsfj_malloc(members * sizeof *cpus);
    for (unsigned i = 0; cpus && i < members; i++)
        cpus[i] = t->units[l->member[i]].cpu;
    return cpus && wsfj_reach_make(t, l, cpus);
}

/* The workers' places, victims and seats. False if there is no memory. */
static bool plan(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    if (!make_order(t, l))
        return false;
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        fill_in(&wsfj_workers[i], t, l);
    wsfj_awake_start(order.near);
    return assign_seats();
}

bool wsfj_workers_make(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    unsigned n = l->workers;
    bool ok;

    wsfj_workers = wsfj_map_shown(entries_offset(n) + n * ENTRIES_SIZE, 0);
    wsfj_num_workers = num_mapped = n;
    ok = wsfj_workers && list_cpus(t, l);
    if (ok)
        touch(t, l);
    for (unsigned i = 0; ok && i < n; i++) {
        wsfj_workers[i].id = i;
        wsfj_workers[i].detached.queue.entries =
            (struct wsfj_entry *)((char *)wsfj_workers + entries_offset(n) + i * ENTRIES_SIZE);
        wsfj_workers[i].park = WSFJ_PARK_NEW;
        wsfj_workers[i].random = 0x9e3779b97f4a7c15u * (i + 1);
    }
    ok = ok && plan(t, l);
    if (!ok)
        wsfj_workers_free();
    return ok;
}

bool wsfj_workers_shrink(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    free_plan();
    wsfj_num_workers = l->workers;
    return list_cpus(t, l) && plan(t, l);
}

struct wsfj_worker_thread wsfj_worker_thread(unsigned i)
{
    struct wsfj_worker *w = &wsfj_workers[i];

    return (struct wsfj_worker_thread){load_acquire(&w->tid), w->cpus, wsfj_reach_is_on() ? 0 : w->num_cpus};
}

void wsfj_workers_forget(void)
{
    wsfj_workers = NULL;
    wsfj_reach_forget();
    order = (struct wsfj_victim_order){.n = 0};
    wsfj_num_workers = 0;
    cpus = NULL;
    seats = NULL;
    num_seats = 0;
}
