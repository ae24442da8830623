/* SPDX-License-Identifier: MIT */
#include "topology.h"

#include <hwloc.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Levels of a unit's path. */
enum { PATH_PACKAGE, PATH_NUMA, PATH_CACHE, PATH_CORE, PATH_LENGTH };

static unsigned number_of(hwloc_obj_t object)
{
    return object ? object->logical_index : 0;
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

static unsigned numa_of(hwloc_topology_t machine, hwloc_obj_t pu)
{
    hwloc_obj_t node = NULL;

    while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)))
        if (node->cpuset && hwloc_bitmap_isset(node->cpuset, pu->os_index))
            return node->logical_index;
    return 0;
}

static bool allocate(struct wsfj_topology *t, size_t n)
{
    t->cpu = calloc(n ? n : 1, sizeof *t->cpu);
    t->place = calloc(n ? n : 1, PATH_LENGTH * sizeof *t->place);
    return t->cpu && t->place;
}

/* Lists the allowed units: first the first of each core, then the second, and so on. */
static bool list_units(struct wsfj_topology *t, hwloc_topology_t machine, const cpu_set_t *mask)
{
    int n = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);
    unsigned listed = 0;

    if (n <= 0 || !allocate(t, (size_t)n))
        return n <= 0;

    unsigned char *rank = calloc((size_t)n, 1); /* which of its core's allowed units a unit is; 255: not allowed */

    if (!rank)
        return false;
    for (int i = 0; i < n; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)i);
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu);

        rank[i] = 255;
        if (mask && (pu->os_index >= CPU_SETSIZE || !CPU_ISSET(pu->os_index, mask)))
            continue;
        rank[i] = 0;
        for (int j = 0; core && j < i; j++) {
            hwloc_obj_t other = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)j);

            if (rank[j] != 255 && hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, other) == core)
                rank[i]++;
        }
        t->num_cores += rank[i] == 0;
        t->num_threads++;
    }
    for (unsigned r = 0; listed < t->num_threads && r < 255; r++) {
        for (int i = 0; i < n; i++) {
            if (rank[i] != r)
                continue;

            hwloc_obj_t pu = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)i);
            hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu);
            unsigned *path = t->place + PATH_LENGTH * listed;

            t->cpu[listed++] = pu->os_index;
            path[PATH_PACKAGE] = number_of(hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_PACKAGE, pu));
            path[PATH_NUMA] = numa_of(machine, pu);
            path[PATH_CACHE] = number_of(last_cache(machine, pu));
            path[PATH_CORE] = core ? core->logical_index : (unsigned)i;
        }
    }
    free(rank);
    return true;
}

/* No hwloc: every CPU of the mask is a core, all equally near. */
static bool list_mask(struct wsfj_topology *t, const cpu_set_t *mask)
{
    int n = CPU_COUNT(mask);

    if (!allocate(t, (size_t)n))
        return false;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, mask)) {
            t->place[PATH_LENGTH * t->num_threads + PATH_CORE] = cpu;
            t->cpu[t->num_threads++] = cpu;
        }
    }
    t->num_cores = t->num_threads;
    return true;
}

/* hwloc 2.9 writes through NULL when memory runs out while it loads; a machine takes some 100 KiB. */
#define HWLOC_NEEDS ((size_t)16 << 20)

static bool memory_for_hwloc(void)
{
    void *probe = mmap(NULL, HWLOC_NEEDS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return probe != MAP_FAILED && munmap(probe, HWLOC_NEEDS) == 0;
}

static bool load(hwloc_topology_t *machine)
{
    if (!memory_for_hwloc())
        return false;
    if (hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16 || hwloc_topology_init(machine) != 0)
        return false; /* a library of another major version behind our headers */
    hwloc_topology_set_all_types_filter(*machine, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_io_types_filter(*machine, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(*machine) == 0)
        return true;
    hwloc_topology_destroy(*machine);
    return false;
}

bool wsfj_topology_read(struct wsfj_topology *t)
{
    hwloc_topology_t machine;
    cpu_set_t mask;
    bool masked = sched_getaffinity(0, sizeof mask, &mask) == 0, ok = true;

    *t = (struct wsfj_topology){.can_bind = true};
    if (load(&machine)) {
        t->can_bind = hwloc_topology_is_thissystem(machine);
        ok = list_units(t, machine, masked && t->can_bind ? &mask : NULL);
        hwloc_topology_destroy(machine);
    }
    if (ok && t->num_threads == 0) {
        wsfj_topology_free(t);
        if (!masked) {
            CPU_ZERO(&mask);
            CPU_SET(0, &mask);
        }
        t->can_bind = masked;
        ok = list_mask(t, &mask);
    }
    return ok;
}

void wsfj_topology_free(struct wsfj_topology *t)
{
    free(t->cpu);
    free(t->place);
    *t = (struct wsfj_topology){.cpu = NULL};
}

unsigned wsfj_topology_unit(const struct wsfj_topology *t, enum ws_bind bind, unsigned i, unsigned n)
{
    if (bind == WS_BIND_SPREAD && n < t->num_cores)
        return (unsigned)((uint64_t)i * t->num_cores / n);
    return i % t->num_threads;
}

enum wsfj_tier wsfj_topology_tier(const struct wsfj_topology *t, unsigned a, unsigned b)
{
    const unsigned *x = t->place + PATH_LENGTH * a, *y = t->place + PATH_LENGTH * b;

    if (x[PATH_PACKAGE] != y[PATH_PACKAGE])
        return WSFJ_TIER_MACHINE;
    if (x[PATH_CORE] == y[PATH_CORE])
        return WSFJ_TIER_CORE;
    if (x[PATH_CACHE] == y[PATH_CACHE] && x[PATH_NUMA] == y[PATH_NUMA])
        return WSFJ_TIER_CACHE;
    return x[PATH_NUMA] == y[PATH_NUMA] ? WSFJ_TIER_NUMA : WSFJ_TIER_PACKAGE;
}
