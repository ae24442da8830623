/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include "machine/tier.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANGES_MOST 12

/* Numbers, at most one for each worker and unit. */
struct list {
    unsigned *at, count;
};

struct groups {
    const struct wsfj_topology *t;
    const struct wsfj_placement *l;
    enum wsfj_level level;
    unsigned *members, num_members; /* of the level, those with a worker */
    bool *seen;                     /* for each unit or member */
    struct list numbers;            /* of what is printed next */
};

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return x < y ? -1 : x > y;
}

static void sort_out_doubles(struct list *list)
{
    unsigned kept = 0;

    qsort(list->at, list->count, sizeof *list->at, compare);
    for (unsigned i = 0; i < list->count; i++) {
        if (!kept || list->at[kept - 1] != list->at[i])
            list->at[kept++] = list->at[i];
    }
    list->count = kept;
}

/* Prints and empties a list: "0-31,256-287"; with a step, as taskset has it: "0-62:2". */
static void put_ranges(struct list *list, const char *one, const char *more)
{
    unsigned ranges = 0;

    sort_out_doubles(list);
    printf("%s ", list->count == 1 ? one : more);
    for (unsigned i = 0, end; i < list->count; i = end) {
        const unsigned *v = list->at;
        unsigned step = i + 1 < list->count ? v[i + 1] - v[i] : 1;

        for (end = i + 1; end < list->count && v[end] - v[end - 1] == step;)
            end++;
        if (step > 1 && end - i == 2) /* no range: the second may begin one */
            end = i + 1;
        if (++ranges > RANGES_MOST) {
            printf(",... (%u)", list->count);
            break;
        }
        printf(i ? ",%u" : "%u", v[i]);
        if (end - i > 1)
            printf(step > 1 ? "-%u:%u" : "-%u", v[end - 1], step);
    }
    list->count = 0;
}

static unsigned member_of(const struct groups *g, unsigned worker)
{
    return g->t->units[g->l->unit[worker]].in[g->level];
}

/* A worker whose place reaches beyond its member of the level may be anywhere there: the level says nothing about it. */
static bool contains_places(const struct groups *g)
{
    for (unsigned i = 0; i < g->l->workers; i++) {
        unsigned n;
        const unsigned *units = wsfj_placement_units(g->l, i, &n);

        for (unsigned j = 0; j < n; j++) {
            if (g->t->units[units[j]].in[g->level] != member_of(g, i))
                return false;
        }
    }
    return true;
}

/* Finds the members of a level that have workers. 0: the level does not fit the places. */
static unsigned find_members(struct groups *g, enum wsfj_level level)
{
    g->level = level;
    g->num_members = 0;
    if (!contains_places(g))
        return 0;
    memset(g->seen, 0, g->t->num_threads * sizeof *g->seen);
    for (unsigned i = 0; i < g->l->workers; i++)
        g->seen[member_of(g, i)] = true;
    for (unsigned i = 0; i < g->t->count[level]; i++) {
        if (g->seen[i])
            g->members[g->num_members++] = i;
    }
    return g->num_members;
}

/* The level with most members, but not too many; else packages, of which several share a line. */
static void choose_level(struct groups *g)
{
    enum wsfj_level best = WSFJ_LEVEL_PACKAGE;
    unsigned most = 1;

    for (unsigned level = WSFJ_LEVEL_PACKAGE; level <= WSFJ_LEVEL_CACHE; level++) {
        unsigned n = find_members(g, (enum wsfj_level)level);

        if (n > most && n <= GROUPS_MOST) {
            most = n;
            best = (enum wsfj_level)level;
        }
    }
    (void)find_members(g, best);
}

static void put_level(struct groups *g, enum wsfj_level level, const char *one, const char *more)
{
    for (unsigned i = 0; i < g->t->num_threads; i++) {
        if (g->seen[i])
            g->numbers.at[g->numbers.count++] = g->t->units[i].in[level];
    }
    put_ranges(&g->numbers, one, more);
}

/* A line of the workers in these members of the level, with all units of their places. */
static void put_group(struct groups *g, unsigned first, unsigned last)
{
    unsigned workers;

    memset(g->seen, 0, g->t->num_threads * sizeof *g->seen);
    for (unsigned i = 0; i < g->l->workers; i++) {
        unsigned n;
        const unsigned *units = wsfj_placement_units(g->l, i, &n);

        if (member_of(g, i) < first || member_of(g, i) > last)
            continue;
        g->numbers.at[g->numbers.count++] = i;
        for (unsigned j = 0; j < n; j++)
            g->seen[units[j]] = true;
    }
    workers = g->numbers.count;
    put_ranges(&g->numbers, "worker", "workers");
    printf(": %u on ", workers);
    put_level(g, WSFJ_LEVEL_PACKAGE, "package", "packages");
    put_level(g, WSFJ_LEVEL_NUMA, ", node", ", nodes");
    if (g->t->count[WSFJ_LEVEL_CACHE] < g->t->num_cores)
        put_level(g, WSFJ_LEVEL_CACHE, ", cache", ", caches");
    for (unsigned i = 0; i < g->t->num_threads; i++) {
        if (g->seen[i])
            g->numbers.at[g->numbers.count++] = g->t->units[i].cpu;
    }
    put_ranges(&g->numbers, ", CPU", ", CPUs");
    putchar('\n');
}

static void put_groups(struct groups *g)
{
    unsigned each;

    choose_level(g);
    each = (g->num_members + GROUPS_MOST - 1) / GROUPS_MOST;
    if (g->num_members == 0)
        put_group(g, 0, UINT_MAX);
    for (unsigned i = 0; i < g->num_members; i += each)
        put_group(g, g->members[i], g->members[i + each < g->num_members ? i + each - 1 : g->num_members - 1]);
}

/* The number of other workers at each distance: the least and the most that any worker has. */
static void put_tiers(const struct groups *g)
{
    unsigned least[WSFJ_TIER_COUNT], most[WSFJ_TIER_COUNT] = {0};
    const char *before = "others of each worker: ";

    for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++)
        least[tier] = g->l->workers;
    for (unsigned i = 0; i < g->l->workers; i++) {
        unsigned own[WSFJ_TIER_COUNT] = {0};

        for (unsigned j = 0; j < g->l->workers; j++)
            own[wsfj_placement_tier(g->l, g->t, i, j)] += i != j;
        for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++) {
            least[tier] = own[tier] < least[tier] ? own[tier] : least[tier];
            most[tier] = own[tier] > most[tier] ? own[tier] : most[tier];
        }
    }
    for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++) {
        if (!most[tier])
            continue;
        printf("%s%u", before, least[tier]);
        if (least[tier] < most[tier])
            printf("-%u", most[tier]);
        printf(" %s", wsfj_tier_names[tier]);
        before = ", ";
    }
    putchar('\n');
}

bool groups_print(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    struct groups g = {.t = t, .l = l};
    bool ok;

    g.members = calloc(t->num_threads, sizeof *g.members); /* a level has at most as many members as there are units */
    g.seen = calloc(t->num_threads, sizeof *g.seen);
    g.numbers.at = calloc((size_t)l->workers + t->num_threads, sizeof *g.numbers.at);
    ok = g.members && g.seen && g.numbers.at;
    if (ok) {
        if (l->settled)
            put_groups(&g);
        else
            printf("workers 0-%u: not bound\n", l->workers - 1);
        put_tiers(&g);
    }
    free(g.members);
    free(g.seen);
    free(g.numbers.at);
    return ok;
}
