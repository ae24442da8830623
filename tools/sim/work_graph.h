/* SPDX-License-Identifier: MIT */
/* A recorded graph that is played: what work_graph.c, which plays it, and graph_plan.c, which prepares it, share. */
#ifndef TOOLS_SIM_WORK_GRAPH_H
#define TOOLS_SIM_WORK_GRAPH_H

#include <wsfj.h>

#include "graph.h"
#include "lengths.h"

struct plan_post {
    const struct graph_posted *task; /* NULL: there is none with this number */
    uint64_t times;                  /* how often it is reached */
};

struct plan {
    struct graph graph;
    struct graph_sums sums;
    sim_sum *lengths;        /* of each cost */
    sim_sum work, blocked;   /* all of it */
    uint64_t *iterations;    /* of each node, as a part of a loop: a run has its own, any other item one */
    uint64_t *before;        /* of each item: the iterations before it in its node */
    uint32_t *parts;         /* of each node: how deep its parts nest */
    uint64_t *wanted;        /* of each node: how often it is begun, outside of loops; a loop as a whole counts, too */
    uint64_t depth;          /* of spawns in spawns; 0: not known */
    double span;             /* with loops that are divided down to single iterations */
    uint64_t chain;          /* the largest number of lengths that follow each other */
    uint32_t *group_numbers; /* in order */
    ws_group *groups;
    size_t num_groups;
    struct plan_post *posts; /* by number */
    size_t num_posts;
};

/* Reads the file. On an error one line, exit 2. */
void plan_read(struct plan *plan, const char *name);

ws_group *plan_group(const struct plan *plan, uint32_t number);

#endif
