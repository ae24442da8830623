/* SPDX-License-Identifier: MIT */
#include "machine/placement.h"
#include "machine/tier.h"

#include "base/alloc.h"
#include "base/debug.h"

#include <stdlib.h>

/* Appends a unit to the unfinished place. */
static void append(struct wsfj_placement *l, unsigned unit)
{
    l->member[l->end[l->places]++] = unit;
}

/* Finishes the place and begins the next one. False if the place has no units. */
static bool finish(struct wsfj_placement *l)
{
    unsigned end = l->end[l->places];

    if (end == (l->places ? l->end[l->places - 1] : 0))
        return false;
    l->places++;
    l->end[l->places] = end;
    return true;
}

static bool allocate(struct wsfj_placement *l, size_t places, size_t members)
{
    free(l->end);
    free(l->member);
    l->places = 0;
    l->end = wsfj_calloc(places + 1, sizeof *l->end);
    l->member = wsfj_calloc(members ? members : 1, sizeof *l->member);
    return l->end && l->member;
}

/* A place for each unit, in binding order. */
static bool each_unit(struct wsfj_placement *l, const struct wsfj_topology *t)
{
    if (!allocate(l, t->num_threads, t->num_threads))
        return false;
    for (unsigned i = 0; i < t->num_threads; i++) {
        append(l, i);
        (void)finish(l);
    }
    return true;
}

/* A place for each hardware thread: those of a core one after the other, fast cores first. */
static bool threads(struct wsfj_placement *l, const struct wsfj_topology *t, unsigned most)
{
    /* at[i]: the binding order of unit i in the machine's order. */
    unsigned *at = wsfj_calloc(t->num_threads, sizeof *at);

    if (!at || !allocate(l, t->num_threads, t->num_threads)) {
        free(at);
        return false;
    }
    for (unsigned i = 0; i < t->num_threads; i++)
        at[t->units[i].index] = i;
    for (unsigned kind = 0; kind < t->num_kinds; kind++) {
        for (unsigned i = 0; i < t->num_threads && l->places < most; i++) {
            if (t->units[at[i]].kind == kind) {
                append(l, at[i]);
                (void)finish(l);
            }
        }
    }
    free(at);
    return true;
}

/* A place for each core, cache, node or package. First comes the place with the fastest core. */
static bool groups(struct wsfj_placement *l, const struct wsfj_topology *t, enum wsfj_level level, unsigned most)
{
    bool *done = wsfj_calloc(t->count[level], sizeof *done);

    if (!done || !allocate(l, t->count[level], t->num_threads)) {
        free(done);
        return false;
    }
    for (unsigned i = 0; i < t->num_threads && l->places < most; i++) {
        unsigned number = t->units[i].in[level];

        if (done[number])
            continue;
        done[number] = true;
        for (unsigned j = i; j < t->num_threads; j++)
            if (t->units[j].in[level] == number)
                append(l, j);
        (void)finish(l);
    }
    free(done);
    return true;
}

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return (x > y) - (x < y);
}

/* The places of a list of processor numbers, without the processors that this process may not use. */
static bool listed(struct wsfj_placement *l, const struct wsfj_topology *t, const struct wsfj_places *p)
{
    if (!allocate(l, p->count, p->count ? p->end[p->count - 1] : 0))
        return false;
    for (unsigned i = 0, start = 0; i < p->count; start = p->end[i++]) {
        for (unsigned unit = 0; unit < t->num_threads; unit++) /* in binding order */
            if (bsearch(&t->units[unit].cpu, p->cpu + start, p->end[i] - start, sizeof *p->cpu, compare))
                append(l, unit);
        if (!finish(l))
            l->lost++;
    }
    return true;
}

bool wsfj_placement_places(struct wsfj_placement *l, const struct wsfj_topology *t, const struct wsfj_places *p,
                           enum ws_bind bind)
{
    enum wsfj_places_what what = bind == WS_BIND_NONE ? WSFJ_PLACES_UNSET : p->what;
    unsigned most = p->most ? p->most : UINT32_MAX;
    bool ok = true;

    *l = (struct wsfj_placement){.bind = bind};
    switch (what) {
    case WSFJ_PLACES_UNSET: break;
    case WSFJ_PLACES_THREADS: ok = threads(l, t, most); break;
    case WSFJ_PLACES_CORES: ok = groups(l, t, WSFJ_LEVEL_CORE, most); break;
    case WSFJ_PLACES_LL_CACHES: ok = groups(l, t, WSFJ_LEVEL_CACHE, most); break;
    case WSFJ_PLACES_NUMA_DOMAINS: ok = groups(l, t, WSFJ_LEVEL_NUMA, most); break;
    case WSFJ_PLACES_SOCKETS: ok = groups(l, t, WSFJ_LEVEL_PACKAGE, most); break;
    case WSFJ_PLACES_LIST: ok = listed(l, t, p); break;
    }
    l->chosen = l->places > 0;
    if (ok && !l->chosen)
        ok = each_unit(l, t);
    if (!ok)
        wsfj_placement_free(l);
    return ok;
}

unsigned wsfj_placement_room(const struct wsfj_placement *l, const struct wsfj_topology *t, bool cores)
{
    unsigned end = l->bind == WS_BIND_PRIMARY ? l->end[0] : l->end[l->places - 1], room = 0;

    for (unsigned i = 0; i < end; i++) {
        bool again = false;

        /* Places may overlap, and a place may have only the second unit of a core. */
        for (unsigned j = 0; j < i && l->chosen && !again; j++)
            again = cores ? t->units[l->member[j]].in[WSFJ_LEVEL_CORE] == t->units[l->member[i]].in[WSFJ_LEVEL_CORE]
                          : l->member[j] == l->member[i];
        room += !again && (l->chosen || !cores || t->units[l->member[i]].rank == 0);
    }
    return room;
}

unsigned wsfj_placement_wanted(const struct wsfj_placement *l, const struct wsfj_topology *t, size_t workers)
{
    bool cores = workers == WSFJ_WORKERS_CORES;
    unsigned room;

    if (!cores && workers != WSFJ_WORKERS_THREADS)
        return (unsigned)workers; /* within the limit: the settings refuse larger numbers */
    room = wsfj_placement_room(l, t, cores);
    if (room <= WSFJ_WORKERS_MOST)
        return room;
    wsfj_say("WSFJ_NUM_WORKERS=%s: this machine has room for %u workers, the limit is %d; using %d",
             cores ? "cores" : "threads", room, WSFJ_WORKERS_MOST, WSFJ_WORKERS_MOST);
    return WSFJ_WORKERS_MOST;
}

/* How many cores of the fastest kinds, as whole kinds, suffice for n workers. */
static unsigned fast_enough(const struct wsfj_topology *t, unsigned n)
{
    unsigned found = 0;

    for (unsigned kind = 0; kind < t->num_kinds && found < n; kind++)
        while (found < t->num_cores && t->units[found].kind == kind)
            found++;
    return found;
}

static unsigned place_of(const struct wsfj_placement *l, const struct wsfj_topology *t, unsigned i, unsigned n)
{
    if (l->bind == WS_BIND_PRIMARY)
        return 0;
    if (l->chosen) /* consecutive workers share a place if there are too few places */
        return n > l->places || l->bind == WS_BIND_SPREAD ? (unsigned)((uint64_t)i * l->places / n) : i;
    if (l->bind == WS_BIND_SPREAD && n < t->num_cores)
        return (unsigned)((uint64_t)i * fast_enough(t, n) / n);
    return i % l->places;
}

bool wsfj_placement_workers(struct wsfj_placement *l, const struct wsfj_topology *t, unsigned n)
{
    unsigned *taken = wsfj_calloc(l->places, sizeof *taken);

    free(l->place); /* of an earlier attempt with more workers */
    free(l->unit);
    l->workers = n;
    l->place = wsfj_calloc(n, sizeof *l->place);
    l->unit = wsfj_calloc(n, sizeof *l->unit);
    if (!taken || !l->place || !l->unit) {
        free(taken);
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned size, p = l->place[i] = place_of(l, t, i, n);
        const unsigned *units = wsfj_placement_units(l, i, &size);

        l->unit[i] = units[taken[p]++ % size];
    }
    free(taken);
    /* With more workers than units, binding would only keep the kernel from balancing them; so only on request. */
    l->settled = l->bind != WS_BIND_NONE && (l->chosen || l->bind == WS_BIND_PRIMARY || n <= t->num_threads);
    l->bound = l->settled && t->can_bind;
    return true;
}

void wsfj_placement_free(struct wsfj_placement *l)
{
    free(l->end);
    free(l->member);
    free(l->place);
    free(l->unit);
    *l = (struct wsfj_placement){.places = 0};
}

enum wsfj_tier wsfj_placement_tier(const struct wsfj_placement *l, const struct wsfj_topology *t, unsigned a, unsigned b)
{
    if (l->settled)
        return wsfj_topology_tier(t, l->unit[a], l->unit[b]);
    if (t->count[WSFJ_LEVEL_PACKAGE] > 1)
        return WSFJ_TIER_MACHINE;
    return t->count[WSFJ_LEVEL_NUMA] > 1 ? WSFJ_TIER_PACKAGE : WSFJ_TIER_NUMA;
}

/* The first workers in a worker's package, node, cache and core, and itself. */
struct neighbour {
    unsigned first[WSFJ_LEVELS + 1];
};

static int compare_neighbours(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;
    int level = 0;

    while (level < WSFJ_LEVELS && x->first[level] == y->first[level])
        level++;
    return (x->first[level] > y->first[level]) - (x->first[level] < y->first[level]);
}

/* Sets first[level] of each worker. `found` has room for one number for each unit. */
static void find_first(const struct wsfj_placement *l, const struct wsfj_topology *t, enum wsfj_level level,
                       struct neighbour *all, unsigned *found)
{
    for (unsigned i = l->workers; i-- > 0;)
        found[t->units[l->unit[i]].in[level]] = i;
    for (unsigned i = 0; i < l->workers; i++)
        all[i].first[level] = found[t->units[l->unit[i]].in[level]];
}

bool wsfj_placement_neighbours(const struct wsfj_placement *l, const struct wsfj_topology *t, unsigned *near)
{
    struct neighbour *all = wsfj_calloc(l->workers, sizeof *all);
    unsigned *found = wsfj_calloc(t->num_threads, sizeof *found);
    bool ok = all && found;

    for (unsigned i = 0; ok && i < l->workers; i++)
        all[i].first[WSFJ_LEVELS] = i;
    for (int level = 0; ok && l->settled && level < WSFJ_LEVELS; level++)
        find_first(l, t, (enum wsfj_level)level, all, found);
    if (ok && l->settled)
        qsort(all, l->workers, sizeof *all, compare_neighbours);
    for (unsigned i = 0; ok && i < l->workers; i++)
        near[i] = all[i].first[WSFJ_LEVELS];
    free(all);
    free(found);
    return ok;
}

unsigned wsfj_placement_node(const struct wsfj_placement *l, const struct wsfj_topology *t, unsigned worker)
{
    return l->settled ? t->units[l->unit[worker]].in[WSFJ_LEVEL_NUMA] : 0;
}
