/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include "cpu.h"
#include "fail.h"
#include "machine/topology.h"

#include <hwloc.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The prelude leads hwloc's two functions of these names here. */
int engine_hwloc_load(hwloc_topology_t topology);
int engine_hwloc_is_here(hwloc_topology_t topology);

/* What the library is to read when it asks for this machine. */
static enum wsfj_machine kind;
static char *text;

static struct wsfj_topology topology;
static unsigned *unit_of; /* of each CPU */

int engine_hwloc_load(hwloc_topology_t t)
{
    if ((kind == WSFJ_MACHINE_SYNTHETIC && hwloc_topology_set_synthetic(t, text) != 0) ||
        (kind == WSFJ_MACHINE_XML && hwloc_topology_set_xml(t, text) != 0))
        return -1;
    return hwloc_topology_load(t);
}

/* The library binds its workers and follows masks and quota: the virtual machine's. */
int engine_hwloc_is_here(hwloc_topology_t t)
{
    (void)t;
    return 1;
}

static void choose(const char *name, unsigned workers)
{
    char flat[64];

    if (!name) {
        snprintf(flat, sizeof flat, "core:%u pu:1", workers);
        name = flat;
    }
    kind = strcmp(name, "this") == 0 ? WSFJ_MACHINE_THIS
           : strchr(name, ':')       ? WSFJ_MACHINE_SYNTHETIC
                                     : WSFJ_MACHINE_XML;
    if (kind == WSFJ_MACHINE_XML && access(name, R_OK) != 0)
        sim_fail(SIM_EXIT_USAGE, "--machine %s: neither a description nor a file that can be read", name);
    text = strdup(name);
    if (!text)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for the machine");
}

void sim_machine_start(const char *name, unsigned workers)
{
    unsigned end = 0;
    uint64_t *exists;

    choose(name, workers);
    if (!wsfj_topology_make(&topology, WSFJ_MACHINE_THIS, NULL, &(struct wsfj_affinity){.set = NULL}) ||
        topology.num_threads == 0)
        sim_fail(SIM_EXIT_USAGE, "--machine %s: hwloc does not accept it", text);
    for (unsigned i = 0; i < topology.num_threads; i++)
        end = topology.units[i].cpu < end ? end : topology.units[i].cpu + 1;
    if (end > CPU_SETSIZE * 8)
        sim_fail(SIM_EXIT_USAGE, "--machine %s: CPU %u: the largest number is %d", text, end - 1, CPU_SETSIZE * 8 - 1);
    unit_of = sim_new(end, sizeof *unit_of);
    exists = sim_new(sim_bit_words(end), sizeof *exists);
    for (unsigned i = 0; i < topology.num_threads; i++) {
        unsigned cpu = topology.units[i].cpu;

        unit_of[cpu] = i;
        exists[cpu / 64] |= UINT64_C(1) << cpu % 64;
    }
    sim_cpu_start(end, exists);
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
