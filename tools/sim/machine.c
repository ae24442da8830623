/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include "calls.h"
#include "cpu.h"
#include "fail.h"
#include "machine/topology.h"

#include <hwloc.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* struct wsfj_mask has room for so many. */
#define CPUS_MOST 8192

/* The prelude leads hwloc's two functions of these names here. */
int engine_hwloc_load(hwloc_topology_t topology);
int engine_hwloc_is_here(hwloc_topology_t topology);

/* What the library is to read when it asks for this machine. */
static enum wsfj_machine kind;
static char *text;
static bool refused; /* by hwloc; the library would go on with a flat machine */

static struct wsfj_topology topology;
static unsigned *unit_of; /* of each CPU */

int engine_hwloc_load(hwloc_topology_t t)
{
    refused = (kind == WSFJ_MACHINE_SYNTHETIC && hwloc_topology_set_synthetic(t, text) != 0) ||
              (kind == WSFJ_MACHINE_XML && hwloc_topology_set_xml(t, text) != 0) || hwloc_topology_load(t) != 0;
    return refused ? -1 : 0;
}

/* The real environment, but for this: the library asks hwloc about a machine that a variable describes. */
char *engine_getenv(const char *name)
{
    return strcmp(name, "HWLOC_SYNTHETIC") == 0 ? text : secure_getenv(name);
}

/* The library binds its workers and follows masks and quota: the virtual machine's. */
int engine_hwloc_is_here(hwloc_topology_t t)
{
    (void)t;
    return 1;
}

/* Cores that are all equally near. hwloc takes seconds for thousands of them without any group. */
static void describe_flat(char *into, size_t room, unsigned cores)
{
    unsigned groups = 1;

    for (unsigned i = 2; i * i <= cores; i++)
        if (cores % i == 0)
            groups = i;
    if (groups > 1)
        snprintf(into, room, "group:%u core:%u pu:1", groups, cores / groups);
    else
        snprintf(into, room, "core:%u pu:1", cores);
}

/* Counts before hwloc reads the description: hwloc takes minutes for a hundred thousand of anything. */
static void check_size(const char *description)
{
    uint64_t n = 1;

    for (const char *c = description; (c = strchr(c, ':')) && n <= CPUS_MOST;) {
        uint64_t more = strtoull(++c, NULL, 10);

        n = more > CPUS_MOST ? CPUS_MOST + 1 : more ? n * more : n;
    }
    if (n > CPUS_MOST)
        sim_fail(SIM_EXIT_USAGE, "--machine %s: more than %d CPUs", description, CPUS_MOST);
}

static void choose(const char *name, unsigned workers)
{
    char flat[64];

    if (!name) {
        describe_flat(flat, sizeof flat, workers);
        name = flat;
    }
    kind = strcmp(name, "this") == 0 ? WSFJ_MACHINE_THIS
           : strchr(name, ':')       ? WSFJ_MACHINE_SYNTHETIC
                                     : WSFJ_MACHINE_XML;
    if (kind == WSFJ_MACHINE_XML && access(name, R_OK) != 0)
        sim_fail(SIM_EXIT_USAGE, "--machine %s: neither a description nor a file that can be read", name);
    if (kind == WSFJ_MACHINE_SYNTHETIC)
        check_size(name);
    text = strdup(name);
    if (!text)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for the machine");
}

void sim_machine_start(const char *name, unsigned workers)
{
    unsigned end = 0;
    uint64_t *exists;

    choose(name, workers);
    if (!wsfj_topology_make(&topology, WSFJ_MACHINE_THIS, NULL, &(struct wsfj_affinity){.set = NULL}) || refused ||
        topology.num_threads == 0)
        sim_fail(SIM_EXIT_USAGE, "--machine %s: hwloc does not accept it", text);
    for (unsigned i = 0; i < topology.num_threads; i++)
        end = topology.units[i].cpu < end ? end : topology.units[i].cpu + 1;
    if (end > CPUS_MOST)
        sim_fail(SIM_EXIT_USAGE, "--machine %s: CPU %u: the largest number is %d", text, end - 1, CPUS_MOST - 1);
    unit_of = sim_new(end, sizeof *unit_of);
    exists = sim_new(sim_bit_words(end), sizeof *exists);
    for (unsigned i = 0; i < topology.num_threads; i++) {
        unsigned cpu = topology.units[i].cpu;

        unit_of[cpu] = i;
        exists[cpu / 64] |= UINT64_C(1) << cpu % 64;
    }
    sim_cpu_start(end, exists);
    free(exists);
}

enum wsfj_tier sim_machine_tier(unsigned cpu, unsigned other)
{
    return wsfj_topology_tier(&topology, unit_of[cpu], unit_of[other]);
}

int sim_machine_file(const char *path, char *into, size_t room)
{
    uint64_t period, quota = sim_cpu_quota_now(&period);

    if (strcmp(path, "proc/self/mountinfo") == 0)
        return snprintf(into, room, "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    if (strcmp(path, "proc/self/cgroup") == 0)
        return snprintf(into, room, "0::/\n");
    if (strcmp(path, "sys/fs/cgroup/cpu.max") == 0 && quota)
        return snprintf(into, room, "%" PRIu64 " %" PRIu64 "\n", quota / 1000, period / 1000);
    return -1;
}
