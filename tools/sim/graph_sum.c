/* SPDX-License-Identifier: MIT */
/* Adds up a graph: each node once, from what it leads to. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT 9223372036854775808.0

/* Of a node, from its begin. */
struct sum {
    double work, blocked;
    double path;         /* to its own end */
    double children;     /* to the farthest end of children that nothing has waited for yet */
    double far;          /* to the farthest end of a detached task */
    double longest;      /* item: of a loop */
    uint64_t tasks;      /* at most UINT64_MAX / 2 */
    size_t first, count; /* `reached` */
};

/* The farthest end of a group's tasks. */
struct reached {
    uint32_t group;
    double at;
};

struct adder {
    const struct graph *graph;
    struct sum *sums;
    struct reached *reached;
    size_t num_reached, max_reached;
    const char *why;
};

static double most(double a, double b)
{
    return a > b ? a : b;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX / 2 - b ? UINT64_MAX / 2 : a + b;
}

static uint64_t times(uint64_t a, uint64_t n)
{
    uint64_t product;

    return __builtin_mul_overflow(a, n, &product) || product > UINT64_MAX / 2 ? UINT64_MAX / 2 : product;
}

static bool reach(struct adder *a, struct sum *s, uint32_t group, double at)
{
    for (size_t i = s->first; i < s->first + s->count; i++) {
        if (a->reached[i].group == group) {
            a->reached[i].at = most(a->reached[i].at, at);
            return true;
        }
    }
    if (a->num_reached == a->max_reached) {
        size_t more = a->max_reached ? a->max_reached * 2 : 64;
        struct reached *memory = realloc(a->reached, more * sizeof *memory);

        if (!memory) {
            a->why = "no memory";
            return false;
        }
        a->reached = memory;
        a->max_reached = more;
    }
    a->reached[a->num_reached++] = (struct reached){group, at};
    s->count++;
    return true;
}

/* What a node inside reaches, from `at` on. */
static bool reach_all(struct adder *a, struct sum *s, const struct sum *inner, double at)
{
    for (size_t i = 0; i < inner->count; i++) {
        struct reached r = a->reached[inner->first + i];

        if (!reach(a, s, r.group, at + r.at))
            return false;
    }
    return true;
}

static void wait_for(struct adder *a, struct sum *s, uint32_t group)
{
    for (size_t i = s->first; i < s->first + s->count; i++) {
        if (a->reached[i].group == group) {
            s->path = most(s->path, a->reached[i].at);
            a->reached[i] = a->reached[--a->num_reached];
            s->count--;
            return;
        }
    }
}

static double end_of(const struct sum *s)
{
    return most(s->path, s->children);
}

static bool add_item(struct adder *a, struct sum *s, const struct graph_item *item)
{
    const struct sum none = {0},
                     *inner = item->kind == GRAPH_POST || item->node == GRAPH_NONE ? &none : &a->sums[item->node];
    double n = (double)item->times, at = s->path,
           cost = item->kind == GRAPH_WORK || item->kind == GRAPH_BLOCK || item->kind == GRAPH_RUN
                      ? a->graph->costs[item->cost]
                      : 0;

    s->work += n * inner->work;
    s->blocked += n * inner->blocked;
    s->tasks = add(s->tasks, times(inner->tasks, item->times));
    switch (item->kind) {
    case GRAPH_RUN:
        s->work += n * cost;
        s->path += n * cost;
        s->longest = most(s->longest, cost);
        return true;
    case GRAPH_WORK:
    case GRAPH_BLOCK:
        *(item->kind == GRAPH_WORK ? &s->work : &s->blocked) += n * cost;
        s->path += n * cost;
        s->longest = most(s->longest, cost);
        return true;
    case GRAPH_SPAWN:
        s->tasks = add(s->tasks, item->times);
        s->children = most(s->children, at + end_of(inner));
        s->far = most(s->far, at + inner->far);
        return reach_all(a, s, inner, at);
    case GRAPH_SUBMIT:
        s->tasks = add(s->tasks, item->times);
        s->far = most(s->far, at + most(end_of(inner), inner->far));
        return reach_all(a, s, inner, at) && (item->group == GRAPH_NONE || reach(a, s, item->group, at + end_of(inner)));
    case GRAPH_LOOP:
        s->path += n * inner->longest;
        s->longest = most(s->longest, inner->longest);
        break;
    case GRAPH_CALL:
        s->path += n * end_of(inner);
        s->longest = most(s->longest, end_of(inner));
        break;
    case GRAPH_PART:
        s->path += n * inner->path;
        s->longest = most(s->longest, inner->longest);
        at += (n - 1) * inner->path;
        s->children = inner->children > 0 ? most(s->children, at + inner->children) : s->children;
        s->far = most(s->far, inner->far > 0 ? at + inner->far : 0);
        return reach_all(a, s, inner, at);
    case GRAPH_WAIT: wait_for(a, s, item->group); return true;
    case GRAPH_POST:
    case GRAPH_YIELD:
    case GRAPH_KINDS: return true;
    }
    at = s->path - (item->kind == GRAPH_LOOP ? inner->longest : end_of(inner));
    s->far = most(s->far, inner->far > 0 ? at + inner->far : 0);
    return reach_all(a, s, inner, at);
}

static bool add_node(struct adder *a, size_t node)
{
    const struct graph_node *n = &a->graph->nodes[node];
    struct sum *s = &a->sums[node];

    *s = (struct sum){.first = a->num_reached};
    for (size_t i = 0; i < n->count; i++)
        if (!add_item(a, s, &a->graph->items[n->first + i]))
            return false;
    if (s->work < LIMIT && s->blocked < LIMIT)
        return true;
    a->why = "its work is 2^63 or more";
    return false;
}

/* A thread's last region of the epoch, and where it ended. */
struct ended {
    uint32_t thread;
    double at;
};

/* Regions by the rules of their epochs. */
static bool add_regions(struct adder *a, struct graph_sums *sums)
{
    const struct graph *g = a->graph;
    double begin = 0, end = 0;
    struct ended *ended = malloc((g->num_regions + 1) * sizeof *ended);
    size_t num_ended = 0;

    if (!ended) {
        a->why = "no memory";
        return false;
    }
    for (size_t i = 0; i < g->num_regions; i++) {
        const struct sum *s = &a->sums[g->regions[i].node];
        size_t j = 0;

        if (i > 0 && g->regions[i].epoch != g->regions[i - 1].epoch) {
            begin = end;
            num_ended = 0;
        }
        while (j < num_ended && ended[j].thread != g->regions[i].thread)
            j++;
        if (j == num_ended)
            ended[num_ended++] = (struct ended){g->regions[i].thread, begin};
        sums->span = most(sums->span, ended[j].at + most(end_of(s), s->far));
        ended[j].at += end_of(s);
        end = most(end, ended[j].at);
        sums->work += s->work;
        sums->blocked += s->blocked;
        sums->tasks = add(sums->tasks, add(s->tasks, 1));
    }
    free(ended);
    return true;
}

bool graph_sum(const struct graph *g, struct graph_sums *sums, const char **why)
{
    struct adder a = {.graph = g, .sums = malloc((g->num_nodes + 1) * sizeof *a.sums)};
    bool done = a.sums != NULL;

    *sums = (struct graph_sums){0};
    a.why = "no memory";
    for (size_t i = 0; done && i < g->num_nodes; i++)
        done = add_node(&a, i);
    done = done && add_regions(&a, sums);
    for (size_t i = 0; done && i < g->num_posted; i++) {
        const struct sum *s = &a.sums[g->posted[i].node];

        sums->work += s->work;
        sums->blocked += s->blocked;
        sums->tasks = add(sums->tasks, add(s->tasks, 1));
        sums->span = most(sums->span, most(end_of(s), s->far));
    }
    if (done && !(sums->work < LIMIT && sums->blocked < LIMIT)) {
        a.why = "its work is 2^63 or more";
        done = false;
    }
    free(a.sums);
    free(a.reached);
    *why = a.why;
    return done;
}
