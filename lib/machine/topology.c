/* SPDX-License-Identifier: MIT */
#include "machine/topology.h"

#include "base/alloc.h"
#include "machine/tier.h"

#include <errno.h>
#include <stdlib.h>

const char *const wsfj_tier_names[WSFJ_TIER_COUNT] = {"core", "cache", "numa", "package", "machine"};

bool wsfj_topology_allocate(struct wsfj_topology *t, unsigned n)
{
    t->units = wsfj_calloc(n ? n : 1, sizeof *t->units);
    return t->units != NULL;
}

/* Numbers the members of a level in the order of their first units. `numbers` has room for one number for each unit. */
static unsigned number_level(struct wsfj_topology *t, enum wsfj_level level, unsigned *numbers)
{
    unsigned found = 0;

    for (unsigned i = 0; i < t->num_threads; i++) {
        unsigned name = t->units[i].in[level], number = found;

        /* Neighbours mostly share a member: search from the last one back. */
        while (number > 0 && numbers[number - 1] != name)
            number--;
        if (number == 0) {
            numbers[found++] = name;
            number = found;
        }
        t->units[i].in[level] = number - 1;
    }
    return found;
}

static int compare(const void *a, const void *b)
{
    const struct wsfj_unit *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Turns names into numbers, and the machine's order into binding order. */
static bool put_in_order(struct wsfj_topology *t)
{
    unsigned *room = wsfj_calloc(t->num_threads, sizeof *room);

    if (!room)
        return false;
    for (int level = 0; level < WSFJ_LEVELS; level++)
        t->count[level] = number_level(t, (enum wsfj_level)level, room);
    t->num_cores = t->count[WSFJ_LEVEL_CORE];
    for (unsigned i = 0; i < t->num_cores; i++)
        room[i] = 0;
    for (unsigned i = 0; i < t->num_threads; i++) {
        t->units[i].index = i;
        t->units[i].rank = room[t->units[i].in[WSFJ_LEVEL_CORE]]++;
    }
    free(room);
    qsort(t->units, t->num_threads, sizeof *t->units, compare);
    return true;
}

const char *wsfj_topology_variable(void)
{
    static const char *const names[] = {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT", "HWLOC_CPUID_PATH"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (secure_getenv(names[i]))
            return names[i];
    return NULL;
}

/* Not even the mask is known: there is at least one processor. */
static bool list_one(struct wsfj_topology *t)
{
    t->num_kinds = t->num_threads = 1;
    return wsfj_topology_allocate(t, 1);
}

/* Tries one source after the other until one has listed units. For another machine there is only its description. */
static bool list(struct wsfj_topology *t, enum wsfj_machine which, const char *text, const struct wsfj_affinity *mask)
{
    bool this = which == WSFJ_MACHINE_THIS, ok = true;

    if (!this || wsfj_topology_variable())
        ok = wsfj_topology_list_described(t, which, text, mask->set ? mask : NULL);
    if (this && ok && t->num_threads == 0) {
        wsfj_topology_free(t);
        t->can_bind = mask->set != NULL;
        ok = mask->set ? wsfj_topology_list_this(t, mask) : list_one(t);
    }
    return ok && t->num_threads > 0;
}

bool wsfj_topology_make(struct wsfj_topology *t, enum wsfj_machine which, const char *text,
                        const struct wsfj_affinity *mask)
{
    bool ok;

    *t = (struct wsfj_topology){.units = NULL};
    ok = list(t, which, text, mask) && put_in_order(t);
    if (!ok)
        wsfj_topology_free(t);
    return ok;
}

bool wsfj_topology_read(struct wsfj_topology *t, enum wsfj_machine which, const char *text)
{
    struct wsfj_affinity mask;
    bool ok;

    *t = (struct wsfj_topology){.units = NULL};
    ok = wsfj_affinity_read(&mask) || errno != ENOMEM; /* without the mask, CPUs outside it could be used */
    ok = ok && wsfj_topology_make(t, which, text, &mask);
    wsfj_affinity_free(&mask);
    return ok;
}

void wsfj_topology_free(struct wsfj_topology *t)
{
    free(t->units);
    *t = (struct wsfj_topology){.units = NULL};
}

enum wsfj_tier wsfj_topology_tier(const struct wsfj_topology *t, unsigned a, unsigned b)
{
    const unsigned *x = t->units[a].in, *y = t->units[b].in;

    if (x[WSFJ_LEVEL_PACKAGE] != y[WSFJ_LEVEL_PACKAGE])
        return WSFJ_TIER_MACHINE;
    if (x[WSFJ_LEVEL_CORE] == y[WSFJ_LEVEL_CORE])
        return WSFJ_TIER_CORE;
    if (x[WSFJ_LEVEL_NUMA] != y[WSFJ_LEVEL_NUMA])
        return WSFJ_TIER_PACKAGE;
    return x[WSFJ_LEVEL_CACHE] == y[WSFJ_LEVEL_CACHE] ? WSFJ_TIER_CACHE : WSFJ_TIER_NUMA;
}
