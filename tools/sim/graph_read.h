/* SPDX-License-Identifier: MIT */
/* The reader of graphs, for the files that make it up. A function that returns false has told the error. */
#ifndef TOOLS_SIM_GRAPH_READ_H
#define TOOLS_SIM_GRAPH_READ_H

#include "graph.h"
#include "line.h"

/* What a node holds, itself or in its parts. */
enum { GRAPH_HOLDS_RUNS = 1, GRAPH_HOLDS_SPAWNS = 2 };

struct graph_reader {
    struct line line;
    struct graph *graph;
    uint32_t *named; /* by a cost's number in the file: 1 more than its index here; 0: not used yet */
    size_t num_named;
    uint64_t *first_use;  /* of each cost: the line; 0: it is known */
    unsigned char *holds; /* of each node */
    bool has_total;
};

/* graph_cost.c: a length, or @ and a number. */
bool graph_take_cost(struct graph_reader *r, struct graph_item *item);
/* The line "cost". */
bool graph_take_named_cost(struct graph_reader *r);
bool graph_costs_are_known(struct graph_reader *r);

/* graph_node.c: the line "node". */
bool graph_take_node(struct graph_reader *r);
bool graph_take_number(struct graph_reader *r, const char *what, uint32_t *number);
/* The number of a node of a line before. */
bool graph_take_node_number(struct graph_reader *r, uint32_t *node, bool is_in_node);
/* "group G", if that is what follows. */
bool graph_take_group(struct graph_reader *r, uint32_t *group);

#endif
