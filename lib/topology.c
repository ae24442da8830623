/* SPDX-License-Identifier: MIT */
#include "topology.h"

#include "affinity.h"
#include "mishap.h"
#include "secure.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#if HWLOC_API_VERSION >= 0x00020400
#include <hwloc/cpukinds.h>
#endif

/* The number of what a unit is not in. */
#define NOWHERE UINT32_MAX

/* Prime, big and little, or performance, efficient and low power: more kinds than this are favoured cores of one kind,
 * which differ in turbo frequency, and not worth tearing neighbours apart. */
#define KINDS_MOST 4

static unsigned first_of(hwloc_const_bitmap_t set)
{
    return (unsigned)hwloc_bitmap_first(set);
}

/* The largest cache that not the whole machine shares would depend on the model; the last level it is. */
static hwloc_obj_t last_cache(hwloc_topology_t machine, hwloc_obj_t pu)
{
    static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
                                              HWLOC_OBJ_L2CACHE};
    hwloc_obj_t found = NULL;

    for (size_t i = 0; !found && i < sizeof caches / sizeof *caches; i++)
        found = hwloc_get_ancestor_obj_by_type(machine, caches[i], pu);
    return found;
}

/* The smallest node that the unit is local to: there may also be one that the whole machine shares, or none. */
static unsigned numa_of(hwloc_topology_t machine, hwloc_obj_t pu)
{
    hwloc_obj_t node = NULL;
    unsigned found = NOWHERE;
    int size = 0;

    while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node))) {
        if (!node->cpuset || !hwloc_bitmap_isset(node->cpuset, pu->os_index))
            continue;

        int weight = hwloc_bitmap_weight(node->cpuset);

        if (found == NOWHERE || weight < size) {
            found = node->logical_index;
            size = weight;
        }
    }
    return found;
}

#if HWLOC_API_VERSION >= 0x00020400
/* How many kinds of cores there are that hwloc can rank by speed; 1 if it cannot. */
static unsigned number_of_kinds(hwloc_topology_t machine)
{
    int n = wsfj_mishap(WSFJ_AT_HWLOC) ? -1 : hwloc_cpukinds_get_nr(machine, 0), efficiency = -1;

    if (n < 2 || n > KINDS_MOST)
        return 1;
#if HWLOC_API_VERSION >= 0x00030000
    (void)hwloc_cpukinds_get_info(machine, 0, NULL, &efficiency, NULL, 0);
#else
    (void)hwloc_cpukinds_get_info(machine, 0, NULL, &efficiency, NULL, NULL, 0);
#endif
    return efficiency < 0 ? 1 : (unsigned)n;
}

/* hwloc's last kind is the fastest; what it does not know is taken for slow. */
static unsigned kind_of(hwloc_topology_t machine, hwloc_obj_t pu, unsigned kinds)
{
    int kind = kinds > 1 && !wsfj_mishap(WSFJ_AT_HWLOC) ? hwloc_cpukinds_get_by_cpuset(machine, pu->cpuset, 0) : -1;

    return kinds - 1 - (kind > 0 ? (unsigned)kind : 0);
}
#else
static unsigned number_of_kinds(hwloc_topology_t machine)
{
    (void)machine;
    return 1;
}

static unsigned kind_of(hwloc_topology_t machine, hwloc_obj_t pu, unsigned kinds)
{
    (void)machine;
    (void)pu;
    return kinds - 1;
}
#endif

/* Things of one level do not overlap, so the first processor of each names it. */
static void describe(struct wsfj_topology *t, hwloc_topology_t machine, hwloc_obj_t pu, struct wsfj_unit *unit)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu);
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_PACKAGE, pu);
    hwloc_obj_t cache = last_cache(machine, pu);

    unit->cpu = pu->os_index;
    unit->in[WSFJ_LEVEL_PACKAGE] = package ? first_of(package->cpuset) : NOWHERE;
    unit->in[WSFJ_LEVEL_NUMA] = numa_of(machine, pu);
    unit->in[WSFJ_LEVEL_CORE] = core ? first_of(core->cpuset) : pu->os_index;
    unit->in[WSFJ_LEVEL_CACHE] = cache ? first_of(cache->cpuset) : unit->in[WSFJ_LEVEL_CORE];
    unit->kind = kind_of(machine, pu, t->num_kinds);
}

static bool allocate(struct wsfj_topology *t, unsigned n)
{
    t->units = wsfj_mishap(WSFJ_AT_ALLOC) ? NULL : calloc(n ? n : 1, sizeof *t->units);
    return t->units != NULL;
}

static bool list_units(struct wsfj_topology *t, hwloc_topology_t machine, const struct wsfj_affinity *mask)
{
    int n = wsfj_mishap(WSFJ_AT_HWLOC) ? -1 : hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);

    if (n <= 0 || !allocate(t, (unsigned)n))
        return n <= 0;
    t->num_kinds = number_of_kinds(machine);
    for (int i = 0; i < n; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)i);

        if (!mask || wsfj_affinity_has(mask, pu->os_index))
            describe(t, machine, pu, &t->units[t->num_threads++]);
    }
    return true;
}

/* No hwloc: every CPU of the mask is a core, all equally near. */
static bool list_mask(struct wsfj_topology *t, const struct wsfj_affinity *mask)
{
    if (!allocate(t, wsfj_affinity_count(mask)))
        return false;
    t->num_kinds = 1;
    for (unsigned cpu = 0; cpu < mask->end; cpu++) {
        if (wsfj_affinity_has(mask, cpu)) {
            struct wsfj_unit *unit = &t->units[t->num_threads++];

            unit->cpu = unit->in[WSFJ_LEVEL_CORE] = unit->in[WSFJ_LEVEL_CACHE] = cpu;
        }
    }
    if (t->num_threads == 0)
        t->num_threads = 1; /* not even a mask: some processor is there */
    return true;
}

/* Numbers a level's things in the order of their first units. `numbers` has room for one for each unit. */
static unsigned number_level(struct wsfj_topology *t, enum wsfj_level level, unsigned *numbers)
{
    unsigned found = 0;

    for (unsigned i = 0; i < t->num_threads; i++) {
        unsigned name = t->units[i].in[level], number = found;

        /* Neighbours mostly lie in the same thing: look from the last one back. */
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

/* From the machine's order, with any names, to binding order with numbers. */
static bool put_in_order(struct wsfj_topology *t)
{
    unsigned *room = wsfj_mishap(WSFJ_AT_ALLOC) ? NULL : calloc(t->num_threads, sizeof *room);

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

/* hwloc 2.9 writes through NULL when memory runs out while it loads; a machine takes some 100 KiB. */
#define HWLOC_NEEDS ((size_t)16 << 20)

static bool memory_for_hwloc(void)
{
    void *probe = wsfj_mishap(WSFJ_AT_MMAP) ? MAP_FAILED
                                            : mmap(NULL, HWLOC_NEEDS, PROT_READ | PROT_WRITE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return probe != MAP_FAILED && munmap(probe, HWLOC_NEEDS) == 0;
}

/* Only what is looked at: it halves the time. A library older than our headers refuses flags, and then does without. */
static void keep_what_we_need(hwloc_topology_t machine)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
                                             HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE};
    unsigned long flags = 0;

    /* Units and nodes stay in any case; without groups a node's set of units may be lost. */
    hwloc_topology_set_all_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(machine, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        hwloc_topology_set_type_filter(machine, types[i], HWLOC_TYPE_FILTER_KEEP_ALL);
#if HWLOC_API_VERSION >= 0x00020500
    flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#endif
#if HWLOC_API_VERSION >= 0x00020800
    flags |= HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
#endif
    (void)hwloc_topology_set_flags(machine, flags);
}

static bool load(hwloc_topology_t *machine, enum wsfj_machine which, const char *text)
{
    if (wsfj_secure_hides_hwloc() || !memory_for_hwloc())
        return false;
    if (hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16 || wsfj_mishap(WSFJ_AT_HWLOC) ||
        hwloc_topology_init(machine) != 0)
        return false; /* a library of another major version behind our headers */
    keep_what_we_need(*machine);
    if (!wsfj_mishap(WSFJ_AT_HWLOC) && (which != WSFJ_MACHINE_XML || hwloc_topology_set_xml(*machine, text) == 0) &&
        (which != WSFJ_MACHINE_SYNTHETIC || hwloc_topology_set_synthetic(*machine, text) == 0) &&
        hwloc_topology_load(*machine) == 0)
        return true;
    hwloc_topology_destroy(*machine);
    return false;
}

bool wsfj_topology_read(struct wsfj_topology *t, enum wsfj_machine which, const char *text)
{
    struct wsfj_affinity mask;
    hwloc_topology_t machine;
    bool masked = wsfj_affinity_read(&mask), ok = masked || errno != ENOMEM; /* or we would use all CPUs there are */

    *t = (struct wsfj_topology){.can_bind = masked};
    if (ok && load(&machine, which, text)) {
        t->can_bind = hwloc_topology_is_thissystem(machine);
        ok = list_units(t, machine, masked && t->can_bind ? &mask : NULL);
        hwloc_topology_destroy(machine);
    }
    if (ok && t->num_threads == 0) {
        wsfj_topology_free(t);
        t->can_bind = masked;
        ok = which == WSFJ_MACHINE_THIS && list_mask(t, &mask);
    }
    wsfj_affinity_free(&mask);
    ok = ok && put_in_order(t);
    if (!ok)
        wsfj_topology_free(t);
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
