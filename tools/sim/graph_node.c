/* SPDX-License-Identifier: MIT */
/* Nodes of a graph: a line's items, and the numbers in them. */
#include "graph_read.h"

#include <string.h>

bool graph_take_number(struct graph_reader *r, const char *what, uint32_t *number)
{
    uint64_t value;

    if (!line_whole(&r->line, line_word(&r->line), what, GRAPH_NONE - 1, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

bool graph_take_node_number(struct graph_reader *r, uint32_t *node, bool is_in_node)
{
    if (!graph_take_number(r, "the number of a node", node))
        return false;
    if (*node < r->graph->num_nodes)
        return true;
    if (is_in_node && *node == r->graph->num_nodes)
        return line_fail(&r->line, "node %u leads to itself", *node);
    return line_fail(&r->line, "node %u is not known here", *node);
}

bool graph_take_group(struct graph_reader *r, uint32_t *group)
{
    char *before = r->line.at, *word = before + strspn(before, " \t\r");

    *group = GRAPH_NONE;
    if (strncmp(word, "group", 5) != 0 || !strchr(" \t\r", word[5]))
        return true;
    (void)line_word(&r->line);
    return graph_take_number(r, "the number of a group", group);
}

static bool is_held(struct graph_reader *r, const struct graph_item *item, unsigned char *holds)
{
    unsigned char held = r->holds[item->node];

    if (item->kind == GRAPH_PART) {
        *holds |= held;
    } else if (item->kind == GRAPH_LOOP) {
        if (held & GRAPH_HOLDS_SPAWNS)
            return line_fail(&r->line, "loop %u spawns outside of a call", item->node);
    } else if (held & GRAPH_HOLDS_RUNS) {
        return line_fail(&r->line, "node %u has a run, and is no loop", item->node);
    }
    return true;
}

static const char *const kinds[GRAPH_KINDS] = {"work", "block",  "spawn", "call", "part", "loop",
                                               "run",  "submit", "post",  "wait", "yield"};

static bool take_item(struct graph_reader *r, const char *word, unsigned char *holds)
{
    struct graph *g = r->graph;
    struct graph_item item = {.node = GRAPH_NONE, .group = GRAPH_NONE, .times = 1};
    int kind = 0;
    bool done = true;

    while (kind < GRAPH_KINDS && strcmp(word, kinds[kind]) != 0)
        kind++;
    if (kind == GRAPH_KINDS)
        return line_fail(&r->line, "%.40s is nothing that a node does", word);
    item.kind = (enum graph_kind)kind;
    switch (item.kind) {
    case GRAPH_RUN:
        *holds |= GRAPH_HOLDS_RUNS;
        done = line_whole(&r->line, line_word(&r->line), "the number of iterations", UINT64_MAX / 2, &item.iterations);
        if (done && item.iterations == 0)
            return line_fail(&r->line, "a run of 0 iterations");
        done = done && graph_take_cost(r, &item);
        break;
    case GRAPH_WORK:
    case GRAPH_BLOCK: done = graph_take_cost(r, &item); break;
    case GRAPH_SPAWN:
        *holds |= GRAPH_HOLDS_SPAWNS;
        /* fall through */
    case GRAPH_CALL:
    case GRAPH_PART:
    case GRAPH_LOOP: done = graph_take_node_number(r, &item.node, true) && is_held(r, &item, holds); break;
    case GRAPH_SUBMIT:
        done =
            graph_take_node_number(r, &item.node, true) && is_held(r, &item, holds) && graph_take_group(r, &item.group);
        break;
    case GRAPH_POST: done = graph_take_number(r, "the number of a post", &item.node); break;
    case GRAPH_WAIT: done = graph_take_number(r, "the number of a group", &item.group); break;
    case GRAPH_YIELD:
    case GRAPH_KINDS: break;
    }
    if (!done || !line_room(&r->line, &g->items, g->num_items, sizeof *g->items))
        return false;
    g->items[g->num_items++] = item;
    return true;
}

static bool take_times(struct graph_reader *r, size_t first)
{
    struct graph *g = r->graph;
    uint64_t times;

    if (!line_whole(&r->line, line_word(&r->line), "the number of times", UINT64_MAX / 2, &times))
        return false;
    if (g->num_items == first)
        return line_fail(&r->line, "* repeats nothing");
    if (times == 0 || g->items[g->num_items - 1].times != 1)
        return line_fail(&r->line, times ? "* twice" : "* 0");
    g->items[g->num_items - 1].times = times;
    return true;
}

bool graph_take_node(struct graph_reader *r)
{
    struct graph *g = r->graph;
    size_t first = g->num_items;
    unsigned char holds = 0;
    uint32_t number;

    if (!graph_take_number(r, "the number of a node", &number))
        return false;
    if (number != g->num_nodes)
        return line_fail(&r->line, "node %u where node %zu should stand", number, g->num_nodes);
    for (char *word = line_word(&r->line); word; word = line_word(&r->line))
        if (strcmp(word, "*") == 0 ? !take_times(r, first) : !take_item(r, word, &holds))
            return false;
    if (!line_room(&r->line, &g->nodes, g->num_nodes, sizeof *g->nodes) ||
        !line_room(&r->line, &r->holds, g->num_nodes, sizeof *r->holds))
        return false;
    r->holds[g->num_nodes] = holds;
    g->nodes[g->num_nodes++] = (struct graph_node){first, g->num_items - first};
    return true;
}
