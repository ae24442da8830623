/* SPDX-License-Identifier: MIT */
/*
 * Lists the units of a described machine by hwloc. Contract: topology.h.
 *
 * Never asked about a machine that nobody described: hwloc first loads all its plugins, with the libraries for X,
 * OpenCL and XML that they need (decision 10).
 */
#include "machine/topology.h"

#include "base/alloc.h"
#include "base/failpoint.h"

#include <hwloc.h>
#include <sys/auxv.h>
#include <sys/mman.h>

const bool wsfj_topology_imagines = true;

#if HWLOC_API_VERSION >= 0x00020400
#include <hwloc/cpukinds.h>
#endif

static unsigned first_of(hwloc_const_bitmap_t set)
{
    return (unsigned)hwloc_bitmap_first(set);
}

/* The last-level cache, because "the largest cache that not the whole machine shares" would depend on the model. */
static hwloc_obj_t last_cache(hwloc_topology_t machine, hwloc_obj_t pu)
{
    static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
                                              HWLOC_OBJ_L2CACHE};
    hwloc_obj_t found = NULL;

    for (size_t i = 0; !found && i < sizeof caches / sizeof *caches; i++)
        found = hwloc_get_ancestor_obj_by_type(machine, caches[i], pu);
    return found;
}

/* The smallest node that is local to the unit. There may also be a node that the whole machine shares, or none. */
static unsigned numa_of(hwloc_topology_t machine, hwloc_obj_t pu)
{
    hwloc_obj_t node = NULL;
    unsigned found = WSFJ_NOWHERE;
    int size = 0;

    while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node))) {
        if (!node->cpuset || !hwloc_bitmap_isset(node->cpuset, pu->os_index))
            continue;

        int weight = hwloc_bitmap_weight(node->cpuset);

        if (found == WSFJ_NOWHERE || weight < size) {
            found = node->logical_index;
            size = weight;
        }
    }
    return found;
}

#if HWLOC_API_VERSION >= 0x00020400
/* The number of kinds of cores, if hwloc can rank them by speed; else 1. */
static unsigned number_of_kinds(hwloc_topology_t machine)
{
    int n = wsfj_failpoint(WSFJ_AT_MACHINE) ? -1 : hwloc_cpukinds_get_nr(machine, 0), efficiency = -1;

    if (n < 2 || n > WSFJ_KINDS_MOST)
        return 1;
#if HWLOC_API_VERSION >= 0x00030000
    (void)hwloc_cpukinds_get_info(machine, 0, NULL, &efficiency, NULL, 0);
#else
    (void)hwloc_cpukinds_get_info(machine, 0, NULL, &efficiency, NULL, NULL, 0);
#endif
    return efficiency < 0 ? 1 : (unsigned)n;
}

/* hwloc's last kind is the fastest. Units of unknown kind count as slow. */
static unsigned kind_of(hwloc_topology_t machine, hwloc_obj_t pu, unsigned kinds)
{
    int kind =
        kinds > 1 && !wsfj_failpoint(WSFJ_AT_MACHINE) ? hwloc_cpukinds_get_by_cpuset(machine, pu->cpuset, 0) : -1;

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

/* Members of a level do not overlap, so the first processor of a member is its name. */
static void describe(struct wsfj_topology *t, hwloc_topology_t machine, hwloc_obj_t pu, struct wsfj_unit *unit)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu);
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_PACKAGE, pu);
    hwloc_obj_t cache = last_cache(machine, pu);

    unit->cpu = pu->os_index;
    unit->in[WSFJ_LEVEL_PACKAGE] = package ? first_of(package->cpuset) : WSFJ_NOWHERE;
    unit->in[WSFJ_LEVEL_NUMA] = numa_of(machine, pu);
    unit->in[WSFJ_LEVEL_CORE] = core ? first_of(core->cpuset) : pu->os_index;
    unit->in[WSFJ_LEVEL_CACHE] = cache ? first_of(cache->cpuset) : unit->in[WSFJ_LEVEL_CORE];
    unit->kind = kind_of(machine, pu, t->num_kinds);
}

static bool list_units(struct wsfj_topology *t, hwloc_topology_t machine, const struct wsfj_affinity *mask)
{
    int n = wsfj_failpoint(WSFJ_AT_MACHINE) ? -1 : hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);

    if (n <= 0 || !wsfj_topology_allocate(t, (unsigned)n))
        return n <= 0;
    t->num_kinds = number_of_kinds(machine);
    for (int i = 0; i < n; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)i);

        if (!mask || wsfj_affinity_has(mask, pu->os_index))
            describe(t, machine, pu, &t->units[t->num_threads++]);
    }
    return true;
}

/* hwloc 2.9 writes through NULL when memory runs out during a load. A machine takes some 100 KiB. */
#define HWLOC_NEEDS ((size_t)16 << 20)

static bool has_memory_for_hwloc(void)
{
    void *probe = wsfj_map(HWLOC_NEEDS, PROT_READ | PROT_WRITE, MAP_NORESERVE);

    return probe && munmap(probe, HWLOC_NEEDS) == 0;
}

/* Loads only what this file reads, in half the time. An hwloc older than our headers refuses the flags; that is
 * harmless. */
static void keep_what_we_need(hwloc_topology_t machine)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
                                             HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE};
    unsigned long flags = 0;

    /* hwloc keeps units and nodes in any case. Without groups, a node's set of units may be lost. */
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
    if (getauxval(AT_SECURE) || !has_memory_for_hwloc())
        return false; /* hwloc does not use secure_getenv(), and HWLOC_PLUGINS_PATH names code to run */
    if (hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16 || wsfj_failpoint(WSFJ_AT_MACHINE) ||
        hwloc_topology_init(machine) != 0)
        return false; /* the library has another major version than our headers */
    keep_what_we_need(*machine);
    if (!wsfj_failpoint(WSFJ_AT_MACHINE) && (which != WSFJ_MACHINE_XML || hwloc_topology_set_xml(*machine, text) == 0) &&
        (which != WSFJ_MACHINE_SYNTHETIC || hwloc_topology_set_synthetic(*machine, text) == 0) &&
        hwloc_topology_load(*machine) == 0)
        return true;
    hwloc_topology_destroy(*machine);
    return false;
}

bool wsfj_topology_list_described(struct wsfj_topology *t, enum wsfj_machine which, const char *text,
                                  const struct wsfj_affinity *mask)
{
    hwloc_topology_t machine;
    bool ok;

    if (!load(&machine, which, text))
        return true;
    t->can_bind = hwloc_topology_is_thissystem(machine);
    ok = list_units(t, machine, t->can_bind ? mask : NULL);
    hwloc_topology_destroy(machine);
    return ok;
}
