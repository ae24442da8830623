/* SPDX-License-Identifier: MIT */
/* Reads a graph. graph_sum.c adds it up. */
#include "graph.h"

#include "line.h"

#include <stdlib.h>
#include <string.h>

/* The highest number of a cost. */
#define COST_MOST (((uint64_t)1 << 24) - 1)

struct reader {
    struct line line;
    struct graph *graph;
    uint32_t *named; /* by a cost's number in the file: 1 more than its index here; 0: not used yet */
    size_t num_named;
    uint64_t *first_use;  /* of each cost: the line; 0: it is known */
    unsigned char *holds; /* of each node: RUNS, SPAWNS */
    bool has_total;
};

enum { RUNS = 1, SPAWNS = 2 };

static bool new_cost(struct reader *r, double value, uint64_t line, uint32_t *cost)
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
static bool named_cost(struct reader *r, const char *word, uint32_t *cost)
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

/* A length, or @ and a number. */
static bool take_cost(struct reader *r, struct graph_item *item)
{
    const char *word = line_word(&r->line);
    double value;

    if (word && *word == '@')
        return named_cost(r, word + 1, &item->cost);
    return line_cost(&r->line, word, "the cost", &value) && new_cost(r, value, 0, &item->cost);
}

static bool take_number(struct reader *r, const char *what, uint32_t *number)
{
    uint64_t value;

    if (!line_whole(&r->line, line_word(&r->line), what, GRAPH_NONE - 1, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

/* A node of a line before. */
static bool take_node(struct reader *r, uint32_t *node, bool is_in_node)
{
    if (!take_number(r, "the number of a node", node))
        return false;
    if (*node < r->graph->num_nodes)
        return true;
    if (is_in_node && *node == r->graph->num_nodes)
        return line_fail(&r->line, "node %u leads to itself", *node);
    return line_fail(&r->line, "node %u is not known here", *node);
}

/* "group G", if that is what follows. */
static bool take_group(struct reader *r, uint32_t *group)
{
    char *before = r->line.at, *word = before + strspn(before, " \t\r");

    *group = GRAPH_NONE;
    if (strncmp(word, "group", 5) != 0 || !strchr(" \t\r", word[5]))
        return true;
    (void)line_word(&r->line);
    return take_number(r, "the number of a group", group);
}

static bool is_held(struct reader *r, const struct graph_item *item, unsigned char *holds)
{
    unsigned char held = r->holds[item->node];

    if (item->kind == GRAPH_PART) {
        *holds |= held;
    } else if (item->kind == GRAPH_LOOP) {
        if (held & SPAWNS)
            return line_fail(&r->line, "loop %u spawns outside of a call", item->node);
    } else if (held & RUNS) {
        return line_fail(&r->line, "node %u has a run, and is no loop", item->node);
    }
    return true;
}

static const char *const kinds[GRAPH_KINDS] = {"work", "block",  "spawn", "call", "part", "loop",
                                               "run",  "submit", "post",  "wait", "yield"};

static bool take_item(struct reader *r, const char *word, unsigned char *holds)
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
        *holds |= RUNS;
        done = line_whole(&r->line, line_word(&r->line), "the number of iterations", UINT64_MAX / 2, &item.iterations);
        if (done && item.iterations == 0)
            return line_fail(&r->line, "a run of 0 iterations");
        done = done && take_cost(r, &item);
        break;
    case GRAPH_WORK:
    case GRAPH_BLOCK: done = take_cost(r, &item); break;
    case GRAPH_SPAWN:
        *holds |= SPAWNS;
        /* fall through */
    case GRAPH_CALL:
    case GRAPH_PART:
    case GRAPH_LOOP: done = take_node(r, &item.node, true) && is_held(r, &item, holds); break;
    case GRAPH_SUBMIT:
        done = take_node(r, &item.node, true) && is_held(r, &item, holds) && take_group(r, &item.group);
        break;
    case GRAPH_POST: done = take_number(r, "the number of a post", &item.node); break;
    case GRAPH_WAIT: done = take_number(r, "the number of a group", &item.group); break;
    case GRAPH_YIELD:
    case GRAPH_KINDS: break;
    }
    if (!done || !line_room(&r->line, &g->items, g->num_items, sizeof *g->items))
        return false;
    g->items[g->num_items++] = item;
    return true;
}

static bool take_times(struct reader *r, size_t first)
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

static bool take_a_node(struct reader *r)
{
    struct graph *g = r->graph;
    size_t first = g->num_items;
    unsigned char holds = 0;
    uint32_t number;

    if (!take_number(r, "the number of a node", &number))
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

/* The word that must follow. */
static bool expect(struct reader *r, const char *what)
{
    const char *word = line_word(&r->line);

    return (word && strcmp(word, what) == 0) ||
           line_fail(&r->line, "%.40s where \"%s\" should stand", word ? word : "the end", what);
}

/* The node of a line that is none itself: a task. */
static bool expect_task(struct reader *r, uint32_t *node)
{
    if (!expect(r, "node") || !take_node(r, node, false))
        return false;
    return !(r->holds[*node] & RUNS) || line_fail(&r->line, "node %u has a run, and is no loop", *node);
}

static bool take_region(struct reader *r)
{
    struct graph *g = r->graph;
    struct graph_region region;

    if (!line_whole(&r->line, line_word(&r->line), "the number of a region", UINT64_MAX - 1, &region.number) ||
        !expect(r, "epoch") || !line_whole(&r->line, line_word(&r->line), "the epoch", UINT64_MAX - 1, &region.epoch) ||
        !expect(r, "thread") || !take_number(r, "the thread", &region.thread) || !expect_task(r, &region.node) ||
        !line_room(&r->line, &g->regions, g->num_regions, sizeof *g->regions))
        return false;
    g->regions[g->num_regions++] = region;
    return true;
}

static bool take_posted(struct reader *r)
{
    struct graph *g = r->graph;
    struct graph_posted posted;

    if (!take_number(r, "the number of a post", &posted.post) || !expect_task(r, &posted.node) ||
        !take_group(r, &posted.group) || !line_room(&r->line, &g->posted, g->num_posted, sizeof *g->posted))
        return false;
    g->posted[g->num_posted++] = posted;
    return true;
}

/* What stands behind a cost says where it is from, and is for readers. */
static bool take_named_cost(struct reader *r)
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

static bool take_site(struct reader *r)
{
    struct graph *g = r->graph;
    struct graph_site site = {0};
    uint64_t line;
    char *tab, *rest;

    if (!take_number(r, "the number of a site", &site.number) ||
        !line_whole(&r->line, line_word(&r->line), "the site's line", UINT32_MAX, &line))
        return false;
    rest = line_rest(&r->line);
    tab = strchr(rest, '\t');
    if (!tab)
        return line_fail(&r->line, "no tab between the site's file and its task");
    if (!line_room(&r->line, &g->sites, g->num_sites, sizeof *g->sites))
        return false;
    site.line = (unsigned)line;
    site.file = strndup(rest, (size_t)(tab - rest));
    site.task = strdup(tab + 1);
    g->sites[g->num_sites++] = site;
    r->line.at = r->line.text + r->line.length;
    return (site.file && site.task) || line_fail(&r->line, "no memory");
}

static bool take_total(struct reader *r)
{
    struct graph *g = r->graph;
    const char *unit = line_word(&r->line);

    if (r->has_total)
        return line_fail(&r->line, "total twice");
    r->has_total = true;
    g->is_units = unit && strcmp(unit, "units") == 0;
    if (!g->is_units && (!unit || strcmp(unit, "ns") != 0))
        return line_fail(&r->line, "%.40s where \"ns\" or \"units\" should stand", unit ? unit : "the end");
    return expect(r, "work") && line_cost(&r->line, line_word(&r->line), "the work", &g->work) &&
           expect(r, "blocked") && line_cost(&r->line, line_word(&r->line), "the blocked time", &g->blocked) &&
           expect(r, "span") && line_cost(&r->line, line_word(&r->line), "the span", &g->span);
}

static bool take_line(struct reader *r, const char *word)
{
    static const struct {
        const char *word;
        bool (*take)(struct reader *);
    } lines[] = {{"node", take_a_node},     {"region", take_region}, {"posted", take_posted},
                 {"cost", take_named_cost}, {"site", take_site},     {"total", take_total}};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (strcmp(word, lines[i].word) != 0)
            continue;
        if (!lines[i].take(r))
            return false;
        word = line_word(&r->line);
        return !word || line_fail(&r->line, "%.40s behind the end of the line", word);
    }
    return line_fail(&r->line, "%.40s is no kind of line", word);
}

static bool take_head(struct reader *r)
{
    const char *word = line_next(&r->line) ? line_word(&r->line) : NULL;
    uint64_t version;

    if (r->line.has_failed)
        return false;
    if (r->line.number == 0)
        r->line.number = 1;
    if (!word || strcmp(word, "wsfj-graph") != 0)
        return line_fail(&r->line, "no graph: it does not begin with \"wsfj-graph 1\"");
    if (!line_whole(&r->line, line_word(&r->line), "the version", UINT64_MAX - 1, &version))
        return false;
    return version == 1 || line_fail(&r->line, "version %llu, and only 1 is known", (unsigned long long)version);
}

/* The last line says how many stand before it. */
static bool take_end(struct reader *r)
{
    uint64_t lines, before = r->line.number - 1;

    if (!line_whole(&r->line, line_word(&r->line), "the number of lines", UINT64_MAX - 1, &lines))
        return false;
    if (lines != before)
        return line_fail(&r->line, "%llu lines before the end, not %llu: some are missing or too many",
                         (unsigned long long)before, (unsigned long long)lines);
    if (!r->line.has_end)
        return line_fail(&r->line, "cut short");
    return !line_next(&r->line) ? !r->line.has_failed : line_fail(&r->line, "a line behind the end");
}

static bool take_all(struct reader *r)
{
    if (!take_head(r))
        return false;
    while (line_next(&r->line)) {
        const char *word = line_word(&r->line);

        if (!word || *word == '#')
            continue;
        if (strcmp(word, "end") == 0)
            return take_end(r);
        if (!r->line.has_end)
            break;
        if (!take_line(r, word))
            return false;
    }
    if (r->line.has_end)
        r->line.number++;
    return line_fail(&r->line, "cut short: there is no line \"end\"");
}

static bool costs_are_known(struct reader *r)
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

static int by_number(const void *a, const void *b)
{
    uint64_t x = ((const struct graph_region *)a)->number, y = ((const struct graph_region *)b)->number;

    return (x > y) - (x < y);
}

static bool order_regions(struct reader *r)
{
    struct graph *g = r->graph;

    if (g->num_regions)
        qsort(g->regions, g->num_regions, sizeof *g->regions, by_number);
    for (size_t i = 1; i < g->num_regions; i++) {
        if (g->regions[i].number == g->regions[i - 1].number)
            return line_fail(&r->line, "region %llu twice", (unsigned long long)g->regions[i].number);
        if (g->regions[i].epoch < g->regions[i - 1].epoch)
            return line_fail(&r->line, "region %llu has a lower epoch than region %llu",
                             (unsigned long long)g->regions[i].number, (unsigned long long)g->regions[i - 1].number);
    }
    return true;
}

bool graph_read(struct graph *g, FILE *file, const char *name, char *error, size_t size)
{
    struct reader r = {.graph = g};

    *g = (struct graph){.work = -1, .blocked = -1, .span = -1};
    line_begin(&r.line, file, name, error, size);
    (void)(take_all(&r) && costs_are_known(&r) && order_regions(&r));
    free(r.named);
    free(r.first_use);
    free(r.holds);
    line_free(&r.line);
    return !r.line.has_failed;
}

void graph_free(struct graph *g)
{
    for (size_t i = 0; i < g->num_sites; i++) {
        free(g->sites[i].file);
        free(g->sites[i].task);
    }
    free(g->sites);
    free(g->costs);
    free(g->items);
    free(g->nodes);
    free(g->regions);
    free(g->posted);
    *g = (struct graph){0};
}
