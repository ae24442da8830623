/* SPDX-License-Identifier: MIT */
/*
 * The graph of a recorded program, read from a file (doc/graph.md). Nodes lead only to earlier ones, so that one pass
 * from the first to the last finds every sum and maximum.
 */
#ifndef TOOLS_SIM_GRAPH_H
#define TOOLS_SIM_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define GRAPH_NONE UINT32_MAX

enum graph_kind {
    GRAPH_WORK,
    GRAPH_BLOCK,
    GRAPH_SPAWN,  /* the child belongs to the node's scope: a call, or the task itself */
    GRAPH_CALL,   /* a scope of its own, which ends when its children have */
    GRAPH_PART,   /* the node's items stand here, in the same scope */
    GRAPH_LOOP,   /* its items are parallel to each other, and done when the loop is */
    GRAPH_RUN,    /* only in loops: `iterations` that take `cost` together */
    GRAPH_SUBMIT, /* a detached task, of `group` or none */
    GRAPH_POST,   /* the detached task with this number begins here */
    GRAPH_WAIT,   /* for `group` */
    GRAPH_YIELD,
    GRAPH_KINDS
};

struct graph_item {
    enum graph_kind kind;
    uint32_t node;  /* or the number of a post */
    uint32_t group; /* GRAPH_NONE: none */
    uint32_t cost;  /* an index into `costs` */
    uint64_t times; /* at least 1 */
    uint64_t iterations;
};

struct graph_node {
    size_t first, count; /* items */
};

struct graph_site {
    uint32_t number;
    unsigned line;
    char *file, *task;
};

/* Regions of an epoch begin when all of the epochs before have ended; those of a thread follow each other. */
struct graph_region {
    uint64_t number, epoch;
    uint32_t thread, node;
    bool in_phase; /* began between ws_phase_begin() and ws_phase_end() */
};

struct graph_posted {
    uint32_t post, node, group;
};

struct graph {
    double *costs; /* nanoseconds, or units */
    size_t num_costs;
    struct graph_item *items;
    size_t num_items;
    struct graph_node *nodes;
    size_t num_nodes;
    struct graph_site *sites;
    size_t num_sites;
    struct graph_region *regions; /* in order of their begin */
    size_t num_regions;
    struct graph_posted *posted;
    size_t num_posted;
    bool is_units;
    double work, blocked, span; /* as the profile has them; negative: the file does not say */
};

struct graph_sums {
    double work, blocked, span;
    uint64_t tasks; /* spawned and detached, and one for each region */
};

/* True, or false with one line in `error`: "NAME:LINE: what". Either way graph_free() frees it. */
bool graph_read(struct graph *graph, FILE *file, const char *name, char *error, size_t size);
void graph_free(struct graph *graph);

/* What all regions have in common. A wait for tasks that another node has submitted counts as none for the span, and a
 * queued detached task (GRAPH_POST) as one that begins with the program. False: no memory, or numbers that are too
 * large; `*why` says which. */
bool graph_sum(const struct graph *graph, struct graph_sums *sums, const char **why);

#endif
