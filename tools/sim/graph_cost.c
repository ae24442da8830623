/* SPDX-License-Identifier: MIT */
/* Costs of a graph: lengths in the nodes, and numbers whose lines may come later. */
#include "graph_read.h"

#include <stdlib.h>
#include <string.h>

/* The highest number of a cost. */
#define COST_MOST (((uint64_t)1 << 24) - 1)

static bool new_cost(struct graph_reader *r, double value, uint64_t line, uint32_t *cost)
{
    struct graph *g = r->graph;

    if (g->num_costs == GRAPH_NONE)
        return line_fail(&r->line, "too many costs");
    if (!line_room(&r->line, &g->costs, g->num_costs, sizeof *g->costs) ||
        !line_room(&r->line, &r->first_use, g->num_costs, sizeof *r->first_use))
        return false;
    g->costs[g->num_costs] = value;
    r->first_use[g->num_costs] = line;
    *cost = (uint32_t)g->num_costs++;
    return true;
}

/* The cost with that number in the file. */
static bool named_cost(struct graph_reader *r, const char *word, uint32_t *cost)
{
    uint64_t number;

    if (!line_whole(&r->line, word, "the number of a cost", COST_MOST, &number))
        return false;
    if (number >= r->num_named) {
        size_t more = (size_t)number * 2 + 64;
        uint32_t *named = realloc(r->named, more * sizeof *named);

        if (!named)
            return line_fail(&r->line, "no memory");
        memset(named + r->num_named, 0, (more - r->num_named) * sizeof *named);
        r->named = named;
        r->num_named = more;
    }
    if (!r->named[number]) {
        if (!new_cost(r, 0, r->line.number, cost))
            return false;
        r->named[number] = *cost + 1;
    }
    *cost = r->named[number] - 1;
    return true;
}

bool graph_take_cost(struct graph_reader *r, struct graph_item *item)
{
    const char *word = line_word(&r->line);
    double value;

    if (word && *word == '@')
        return named_cost(r, word + 1, &item->cost);
    return line_cost(&r->line, word, "the cost", &value) && new_cost(r, value, 0, &item->cost);
}

/* What stands behind a cost says where it is from, and is for readers. */
bool graph_take_named_cost(struct graph_reader *r)
{
    const char *number = line_word(&r->line);
    uint32_t cost;
    double value;

    if (!number)
        return line_fail(&r->line, "the number of a cost is missing");
    if (!named_cost(r, number, &cost) || !line_cost(&r->line, line_word(&r->line), "the cost", &value))
        return false;
    if (!r->first_use[cost])
        return line_fail(&r->line, "cost %.40s twice", number);
    r->graph->costs[cost] = value;
    r->first_use[cost] = 0;
    r->line.at = r->line.text + r->line.length;
    return true;
}

bool graph_costs_are_known(struct graph_reader *r)
{
    for (size_t number = 0; number < r->num_named; number++) {
        uint32_t cost = r->named[number];

        if (cost && r->first_use[cost - 1]) {
            r->line.number = r->first_use[cost - 1];
            return line_fail(&r->line, "cost @%zu is used here, and no line says what it is", number);
        }
    }
    return true;
}
