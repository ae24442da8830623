/* SPDX-License-Identifier: MIT */
/* What a trace says in numbers: of each worker, of each task's name, of each stretch of time. */
#ifndef WSFJ_VIEW_SUMS_H
#define WSFJ_VIEW_SUMS_H

#include "put.h"
#include "sweep.h"

struct view_worker {
    uint64_t time[VIEW_WHATS]; /* nanoseconds of each kind of slice; in the remaining time the worker has none */
    uint64_t parts;            /* slices of tasks */
    uint64_t begun, ends[VIEW_ENDS];
    uint64_t events[VIEW_EVENTS]; /* [VIEW_steal]: as the thief */
    uint64_t stolen;              /* tasks that it stole */
    uint64_t robbed;              /* steals from it */
    uint64_t idle[VIEW_WHATS];    /* how many slices of searching, parked, surplus */
};

/* Sums of a task's name. */
struct view_kind {
    uint32_t name;
    uint64_t begun, parts, time, longest, alone; /* alone: no other worker ran a task */
};

/* Slices of tasks by length: below 100 ns, 300 ns, 1 us, ... 10 s, more. */
enum { VIEW_LENGTHS = 18 };
double view_length_bound(int i);

struct view_sums {
    const struct view_trace *trace;
    struct view_worker *workers; /* one for each lane */
    struct view_worker all;
    struct view_kind *kinds; /* longest time first */
    size_t num_kinds;
    uint64_t lengths[VIEW_LENGTHS];
    uint64_t distances[VIEW_DISTANCES];
    uint64_t regions, blocked, resumed; /* how many have ended; slices that resume a task */
    uint64_t region_time, blocked_time; /* with at least one region; sum over blocked tasks */
    double stolen_median, part_median;  /* nanoseconds: a stolen task's first part, any part; -1: none */
    struct view_sweep sweep;
};

/* False: no memory. */
bool view_sums_make(struct view_sums *sums, const struct view_trace *trace);
void view_sums_free(struct view_sums *sums);

/* Share of the workers' time in which they ran tasks, 0 to 1. */
double view_sums_used(const struct view_sums *sums);

/* The worker of that lane: 3, or 1:3 for worker 3 of rank 1 in a joined trace. */
struct view_text view_sums_worker(const struct view_sums *sums, unsigned lane);

/* The share of the recorded time in which the worker's threads had a processor, as text; "-": not known. */
struct view_text view_sums_processor(const struct view_sums *sums, unsigned worker);
/* The same for all workers together. */
struct view_text view_sums_processors(const struct view_sums *sums);

#endif
