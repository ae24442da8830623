/* SPDX-License-Identifier: MIT */
/* Prepares a recorded graph: what playing needs to know of each node and item. Arrays as long as those of the graph;
 * nothing is expanded. */
#include <wsfj/sim.h>

#include "work_graph.h"

#include "fail.h"
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORK_MOST 9007199254740992.0 /* 2^53 ns: 104 days */
#define ITERATIONS_MOST (UINT64_C(1) << 54)
#define LOOP_DEPTH 64 /* a loop with an index of 64 bits is halved at most so often */

static bool leads_on(const struct graph_item *item)
{
    return item->node != GRAPH_NONE && item->kind != GRAPH_POST;
}

static void measure(struct plan *p, const char *name)
{
    struct graph *g = &p->graph;
    const char *why;

    for (size_t i = 0; i < g->num_costs; i++)
        g->costs[i] *= g->is_units ? (double)sim_options.unit : 1;
    if (!graph_sum(g, &p->sums, &why))
        sim_fail(SIM_EXIT_USAGE, "%s: %s", name, why);
    if (p->sums.work > WORK_MOST || p->sums.blocked > WORK_MOST)
        sim_fail(SIM_EXIT_USAGE, "%s: its work is %g ns, more than 2^53", name, p->sums.work + p->sums.blocked);
    if (p->sums.tasks > UINT64_C(1) << 53)
        sim_fail(SIM_EXIT_USAGE, "%s: it has more than 2^53 tasks", name);
    p->lengths = sim_new(g->num_costs + 1, sizeof *p->lengths);
    /* No node that is played has a longer cost, because the sums are not longer. */
    for (size_t i = 0; i < g->num_costs; i++)
        p->lengths[i] = g->costs[i] > WORK_MOST ? 0 : sim_length(g->costs[i]);
}

static void count_iterations(struct plan *p, const char *name)
{
    const struct graph *g = &p->graph;

    p->iterations = sim_new(g->num_nodes + 1, sizeof *p->iterations);
    p->before = sim_new(g->num_items + 1, sizeof *p->before);
    p->parts = sim_new(g->num_nodes + 1, sizeof *p->parts);
    for (size_t n = 0; n < g->num_nodes; n++) {
        for (size_t i = g->nodes[n].first; i < g->nodes[n].first + g->nodes[n].count; i++) {
            const struct graph_item *item = &g->items[i];
            uint64_t each = item->kind == GRAPH_RUN    ? item->iterations
                            : item->kind == GRAPH_PART ? p->iterations[item->node]
                                                       : 1;

            p->before[i] = p->iterations[n];
            if (__builtin_mul_overflow(each, item->times, &each) || each > ITERATIONS_MOST ||
                (p->iterations[n] += each) > ITERATIONS_MOST)
                sim_fail(SIM_EXIT_USAGE, "%s: node %zu has more than 2^54 iterations", name, n);
            if (item->kind == GRAPH_PART && p->parts[n] <= p->parts[item->node])
                p->parts[n] = p->parts[item->node] + 1;
        }
    }
}

/* From the tasks down to the nodes; `in_loops`: as a part of a loop, where only the calls count. */
static void count_wanted(struct plan *p, const char *name)
{
    const struct graph *g = &p->graph;
    uint64_t *in_loops = sim_new(g->num_nodes + 1, sizeof *in_loops), *wanted;

    wanted = p->wanted = sim_new(g->num_nodes + 1, sizeof *p->wanted);
    for (size_t i = 0; i < g->num_regions; i++)
        wanted[g->regions[i].node]++;
    for (size_t i = 0; i < g->num_posted; i++)
        wanted[g->posted[i].node]++;
    for (size_t n = g->num_nodes; n-- > 0;) {
        for (size_t i = g->nodes[n].first; i < g->nodes[n].first + g->nodes[n].count; i++) {
            const struct graph_item *item = &g->items[i];
            sim_sum often = wanted[n] + in_loops[n];

            if (item->kind == GRAPH_WORK || item->kind == GRAPH_RUN)
                p->work += p->lengths[item->cost] * item->times * often;
            else if (item->kind == GRAPH_BLOCK)
                p->blocked += p->lengths[item->cost] * item->times * often;
            else if (item->kind == GRAPH_POST)
                p->posts[item->node].times += (uint64_t)often * item->times;
            else if (item->kind == GRAPH_LOOP)
                in_loops[item->node] += (uint64_t)often * item->times;
            else if (item->kind == GRAPH_PART) {
                wanted[item->node] += wanted[n] * item->times;
                in_loops[item->node] += in_loops[n] * item->times;
            } else if (leads_on(item))
                wanted[item->node] += (uint64_t)often * item->times;
        }
    }
    free(in_loops);
    for (size_t i = 0; i < g->num_posted; i++)
        if (p->posts[g->posted[i].post].times != 1)
            sim_fail(SIM_EXIT_USAGE, "%s: post %u is reached %" PRIu64 " times, not once", name, g->posted[i].post,
                     p->posts[g->posted[i].post].times);
}

static void measure_depth(struct plan *p)
{
    const struct graph *g = &p->graph;
    uint64_t *depth = sim_new(g->num_nodes + 1, sizeof *depth), most = 1;
    bool is_known = true;

    for (size_t n = 0; n < g->num_nodes; n++) {
        for (size_t i = g->nodes[n].first; i < g->nodes[n].first + g->nodes[n].count; i++) {
            const struct graph_item *item = &g->items[i];
            uint64_t inner = leads_on(item) ? depth[item->node] : 0;

            inner += item->kind == GRAPH_SPAWN ? 1 : item->kind == GRAPH_LOOP ? LOOP_DEPTH : 0;
            depth[n] = inner > depth[n] ? inner : depth[n];
            is_known = is_known && item->kind != GRAPH_SUBMIT && item->kind != GRAPH_POST &&
                       item->kind != GRAPH_BLOCK && item->kind != GRAPH_YIELD && item->kind != GRAPH_WAIT;
        }
        most = depth[n] > most ? depth[n] : most;
    }
    for (size_t i = 1; i < g->num_regions; i++) /* regions beside each other: each has its own */
        is_known = is_known && g->regions[i].thread == g->regions[0].thread;
    p->depth = is_known ? most : 0;
    free(depth);
}

/* The span of the same graph with other lengths: a run may be divided down to its iterations, which the profile's span
 * does not count on; and with lengths of 1, the span is the largest number of lengths in a row. */
static double other_span(const struct plan *p, bool ones)
{
    struct graph other = p->graph;
    struct graph_sums sums = {.span = 0};
    const char *why;

    other.items = sim_new(other.num_items + 1, sizeof *other.items);
    other.costs = sim_new(other.num_items + 1, sizeof *other.costs);
    memcpy(other.items, p->graph.items, other.num_items * sizeof *other.items);
    for (size_t i = 0; i < other.num_items; i++) {
        struct graph_item *item = &other.items[i];

        if (item->kind == GRAPH_WORK || item->kind == GRAPH_BLOCK || item->kind == GRAPH_RUN)
            other.costs[i] = ones ? 1 : p->graph.costs[item->cost];
        if (item->kind == GRAPH_RUN && !ones)
            other.costs[i] /= (double)item->iterations;
        item->cost = (uint32_t)i;
    }
    (void)graph_sum(&other, &sums, &why);
    free(other.items);
    free(other.costs);
    return sums.span;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void find_groups(struct plan *p)
{
    const struct graph *g = &p->graph;
    size_t n = 0;

    p->group_numbers = sim_new(g->num_items + g->num_posted + 1, sizeof *p->group_numbers);
    for (size_t i = 0; i < g->num_items; i++)
        if (g->items[i].group != GRAPH_NONE)
            p->group_numbers[n++] = g->items[i].group;
    for (size_t i = 0; i < g->num_posted; i++)
        if (g->posted[i].group != GRAPH_NONE)
            p->group_numbers[n++] = g->posted[i].group;
    qsort(p->group_numbers, n, sizeof *p->group_numbers, by_number);
    for (size_t i = 0; i < n; i++)
        if (p->num_groups == 0 || p->group_numbers[p->num_groups - 1] != p->group_numbers[i])
            p->group_numbers[p->num_groups++] = p->group_numbers[i];
    p->groups = sim_new(p->num_groups + 1, sizeof *p->groups);
}

ws_group *plan_group(const struct plan *p, uint32_t number)
{
    const uint32_t *found;

    if (number == GRAPH_NONE)
        return NULL;
    found = bsearch(&number, p->group_numbers, p->num_groups, sizeof number, by_number);
    return &p->groups[found - p->group_numbers];
}

/* Posts have numbers in order, each stands in one item. */
static void find_posts(struct plan *p, const char *name)
{
    const struct graph *g = &p->graph;

    p->num_posts = g->num_items + 2;
    p->posts = sim_new(p->num_posts, sizeof *p->posts);
    for (size_t i = 0; i < g->num_posted; i++) {
        if (g->posted[i].post >= p->num_posts)
            sim_fail(SIM_EXIT_USAGE, "%s: post %u, and there are fewer items", name, g->posted[i].post);
        if (p->posts[g->posted[i].post].task)
            sim_fail(SIM_EXIT_USAGE, "%s: posted %u twice", name, g->posted[i].post);
        p->posts[g->posted[i].post].task = &g->posted[i];
    }
    for (size_t i = 0; i < g->num_items; i++)
        if (g->items[i].kind == GRAPH_POST && (g->items[i].node >= p->num_posts || !p->posts[g->items[i].node].task))
            sim_fail(SIM_EXIT_USAGE, "%s: post %u has no line \"posted\"", name, g->items[i].node);
}

void plan_read(struct plan *p, const char *name)
{
    char error[512];
    FILE *file = fopen(name, "re");

    if (!file)
        sim_fail(SIM_EXIT_USAGE, "%s: %s", name, strerror(errno));
    if (!graph_read(&p->graph, file, name, error, sizeof error))
        sim_fail(SIM_EXIT_USAGE, "%s", error);
    fclose(file);
    if (p->graph.num_regions == 0)
        sim_fail(SIM_EXIT_USAGE, "%s: there is no region", name);
    find_groups(p);
    find_posts(p, name);
    measure(p, name);
    count_iterations(p, name);
    count_wanted(p, name);
    measure_depth(p);
    p->span = other_span(p, false);
    p->chain = (uint64_t)other_span(p, true);
}
