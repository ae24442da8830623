/* SPDX-License-Identifier: MIT */
/* How many workers run tasks, search and sleep at each moment. */
#ifndef WSFJ_VIEW_SWEEP_H
#define WSFJ_VIEW_SWEEP_H

#include "trace.h"

enum { VIEW_BUCKETS = 240 };

struct view_sweep {
    double bucket[VIEW_BUCKETS][VIEW_WHATS]; /* how many workers, on average over the stretch */
    uint64_t *running;                       /* [n]: nanoseconds in which n workers ran tasks, 0 to all */
    uint64_t *alone;                         /* [name]: nanoseconds in which only that task ran */
    uint64_t idle_in_region;                 /* nanoseconds in which no task ran although a region was under way */
    uint64_t idle_with_tasks;                /* the same of tasks outside of regions that had begun */
    uint64_t idle_woken;                     /* nanoseconds in which no task ran and a woken worker did not run yet */
    uint64_t idle_outside;                   /* nanoseconds with none of these */
    uint64_t detached;                       /* nanoseconds in which a task ran although no region was under way */
    uint64_t region;                         /* nanoseconds in which a region was under way */
    uint64_t longest_alone, longest_alone_at, longest_alone_to; /* the longest stretch with a single running task */
    uint32_t longest_alone_name;
};

bool view_sweep_make(struct view_sweep *sweep, const struct view_trace *trace);
void view_sweep_free(struct view_sweep *sweep);

#endif
