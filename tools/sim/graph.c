/* SPDX-License-Identifier: MIT */
/* Reads a graph, line by line. graph_sum.c adds it up. */
#include "graph_read.h"

#include <stdlib.h>
#include <string.h>

/* The word that must follow. */
static bool expect(struct graph_reader *r, const char *what)
{
    const char *word = line_word(&r->line);

    return (word && strcmp(word, what) == 0) ||
           line_fail(&r->line, "%.40s where \"%s\" should stand", word ? word : "the end", what);
}

/* The node that a region or a post names. It must be a task. */
static bool expect_task(struct graph_reader *r, uint32_t *node)
{
    if (!expect(r, "node") || !graph_take_node_number(r, node, false))
        return false;
    return !(r->holds[*node] & GRAPH_HOLDS_RUNS) || line_fail(&r->line, "node %u has a run, and is no loop", *node);
}

static bool take_region(struct graph_reader *r)
{
    struct graph *g = r->graph;
    struct graph_region region;
    const char *word;

    if (!line_whole(&r->line, line_word(&r->line), "the number of a region", UINT64_MAX - 1, &region.number) ||
        !expect(r, "epoch") || !line_whole(&r->line, line_word(&r->line), "the epoch", UINT64_MAX - 1, &region.epoch) ||
        !expect(r, "thread") || !graph_take_number(r, "the thread", &region.thread) || !expect_task(r, &region.node) ||
        !line_room(&r->line, &g->regions, g->num_regions, sizeof *g->regions))
        return false;
    word = line_word(&r->line);
    region.in_phase = word != NULL;
    g->regions[g->num_regions++] = region;
    return !word || strcmp(word, "phase") == 0 || line_fail(&r->line, "%.40s behind the end of the line", word);
}

static bool take_posted(struct graph_reader *r)
{
    struct graph *g = r->graph;
    struct graph_posted posted;

    if (!graph_take_number(r, "the number of a post", &posted.post) || !expect_task(r, &posted.node) ||
        !graph_take_group(r, &posted.group) || !line_room(&r->line, &g->posted, g->num_posted, sizeof *g->posted))
        return false;
    g->posted[g->num_posted++] = posted;
    return true;
}

static bool take_site(struct graph_reader *r)
{
    struct graph *g = r->graph;
    struct graph_site site = {0};
    uint64_t line;
    char *tab, *rest;

    if (!graph_take_number(r, "the number of a site", &site.number) ||
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

static bool take_total(struct graph_reader *r)
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

static bool take_line(struct graph_reader *r, const char *word)
{
    static const struct {
        const char *word;
        bool (*take)(struct graph_reader *);
    } lines[] = {{"node", graph_take_node},       {"region", take_region}, {"posted", take_posted},
                 {"cost", graph_take_named_cost}, {"site", take_site},     {"total", take_total}};

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

static bool take_head(struct graph_reader *r)
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
static bool take_end(struct graph_reader *r)
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

static bool take_all(struct graph_reader *r)
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

static int by_number(const void *a, const void *b)
{
    uint64_t x = ((const struct graph_region *)a)->number, y = ((const struct graph_region *)b)->number;

    return (x > y) - (x < y);
}

static bool order_regions(struct graph_reader *r)
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
    struct graph_reader r = {.graph = g};

    *g = (struct graph){.work = -1, .blocked = -1, .span = -1};
    line_begin(&r.line, file, name, error, size);
    (void)(take_all(&r) && graph_costs_are_known(&r) && order_regions(&r));
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
