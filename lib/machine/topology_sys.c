/* SPDX-License-Identifier: MIT */
/*
 * Lists the units of this machine from the kernel's files under /sys. Contract: topology.h.
 *
 * The name of a member is its first processor in the kernel's list. If a file is missing, the unit
 * has no member at that level; so without /sys all CPUs are equal cores. Allocates only the units.
 */
#include "machine/topology.h"

#include "base/failpoint.h"
#include "base/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tests set another one. */
const char *wsfj_topology_root = "/";

/* As in the kernel; larger numbers are mistakes. */
#define NODES_MOST 1024u

#define CPU "cpu/cpu%u/"

/* A file below /sys/devices/system, whose directory is `system`. */
__attribute__((format(printf, 2, 3))) static struct wsfj_procfile open_file(int system, const char *format, ...)
{
    struct wsfj_procfile file = {.fd = -1};
    char path[128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    file.fd = wsfj_procfile_open(system, path, 0);
    return file;
}

static void close_file(const struct wsfj_procfile *file)
{
    if (file->fd >= 0)
        close(file->fd);
}

/* The first number of a file, which it closes; WSFJ_NOWHERE: there is none. */
static unsigned first_of(struct wsfj_procfile file)
{
    unsigned first, last;
    bool found = file.fd >= 0 && wsfj_procfile_range(&file, &first, &last);

    close_file(&file);
    return found ? first : WSFJ_NOWHERE;
}

/* The first of the processors that share something with `cpu`. `former`: the file's name before Linux 5.3. */
static unsigned shared(int system, unsigned cpu, const char *name, const char *former)
{
    unsigned first = first_of(open_file(system, CPU "topology/%s", cpu, name));

    return first != WSFJ_NOWHERE ? first : first_of(open_file(system, CPU "topology/%s", cpu, former));
}

/* The cache of the last level above the first; only the first level has instruction caches. */
static unsigned last_cache(int system, unsigned cpu)
{
    unsigned found = WSFJ_NOWHERE;

    for (unsigned index = 0, best = 1, level; index < 16; index++) {
        level = first_of(open_file(system, CPU "cache/index%u/level", cpu, index));
        if (level == WSFJ_NOWHERE)
            break;
        if (level > best) {
            best = level;
            found = first_of(open_file(system, CPU "cache/index%u/shared_cpu_list", cpu, index));
        }
    }
    return found;
}

static void describe(int system, struct wsfj_unit *unit)
{
    unsigned core = shared(system, unit->cpu, "core_cpus_list", "thread_siblings_list");
    unsigned cache = last_cache(system, unit->cpu);

    unit->in[WSFJ_LEVEL_PACKAGE] = shared(system, unit->cpu, "package_cpus_list", "core_siblings_list");
    unit->in[WSFJ_LEVEL_NUMA] = WSFJ_NOWHERE;
    unit->in[WSFJ_LEVEL_CORE] = core != WSFJ_NOWHERE ? core : unit->cpu;
    unit->in[WSFJ_LEVEL_CACHE] = cache != WSFJ_NOWHERE ? cache : unit->in[WSFJ_LEVEL_CORE];
}

/* Sets `value` in the units of the file's list. */
static void enter(struct wsfj_topology *t, struct wsfj_procfile file,
                  void (*set)(struct wsfj_unit *unit, unsigned value), unsigned value)
{
    unsigned first, last;

    while (file.fd >= 0 && wsfj_procfile_range(&file, &first, &last))
        for (unsigned i = 0; i < t->num_threads; i++)
            if (t->units[i].cpu >= first && t->units[i].cpu <= last)
                set(&t->units[i], value);
    close_file(&file);
}

static void set_node(struct wsfj_unit *unit, unsigned node)
{
    unit->in[WSFJ_LEVEL_NUMA] = node;
}

static void find_nodes(struct wsfj_topology *t, int system)
{
    struct wsfj_procfile file = open_file(system, "node/online");
    unsigned first, last;

    while (file.fd >= 0 && wsfj_procfile_range(&file, &first, &last))
        for (unsigned node = first; node <= last && node < NODES_MOST; node++)
            enter(t, open_file(system, "node/node%u/cpulist", node), set_node, node);
    close_file(&file);
}

/* Stores each unit's number in the file, its speed, in `kind`. False if a unit has none. */
static bool read_speeds(struct wsfj_topology *t, int system, const char *name)
{
    bool known = true;

    for (unsigned i = 0; known && i < t->num_threads; i++) {
        t->units[i].kind = first_of(open_file(system, CPU "%s", t->units[i].cpu, name));
        known = t->units[i].kind != WSFJ_NOWHERE;
    }
    return known;
}

static void halve_speed(struct wsfj_unit *unit, unsigned unused)
{
    (void)unused;
    unit->kind /= 2;
}

/* The kernel's capacities; else clock rates, where an efficient core of a hybrid x86 does half as much in a cycle. */
static void find_speeds(struct wsfj_topology *t, int system)
{
    if (read_speeds(t, system, "cpu_capacity"))
        return;
    if (!read_speeds(t, system, "cpufreq/cpuinfo_max_freq"))
        for (unsigned i = 0; i < t->num_threads; i++)
            t->units[i].kind = 1000;
    enter(t, open_file(system, "../cpu_atom/cpus"), halve_speed, 0);
}

/* The highest speed below `bound`; 0: there is none. */
static unsigned fastest_below(const struct wsfj_topology *t, unsigned bound)
{
    unsigned found = 0;

    for (unsigned i = 0; i < t->num_threads; i++)
        if (t->units[i].kind > found && t->units[i].kind < bound)
            found = t->units[i].kind;
    return found;
}

/* Turns speeds into kinds, the fastest first. Cores of one kind may differ by a tenth: some have a higher turbo
 * frequency (hwloc, HWLOC_CPUKINDS_MAXFREQ). With too many kinds, all units are of one. */
static void number_kinds(struct wsfj_topology *t)
{
    unsigned slowest[WSFJ_KINDS_MOST], n = 0, bound = WSFJ_NOWHERE, top;

    while ((top = fastest_below(t, bound)) > 0) {
        bound = top - top / 10;
        if (n < WSFJ_KINDS_MOST)
            slowest[n] = bound;
        n++;
    }
    t->num_kinds = n > 0 && n <= WSFJ_KINDS_MOST ? n : 1;
    for (unsigned i = 0; i < t->num_threads; i++) {
        unsigned kind = 0;

        while (kind < t->num_kinds - 1 && t->units[i].kind < slowest[kind])
            kind++;
        t->units[i].kind = kind;
    }
}

/* From the outside in, then by processor. */
static int compare(const void *a, const void *b)
{
    const struct wsfj_unit *x = a, *y = b;

    for (int level = 0; level < WSFJ_LEVELS; level++)
        if (x->in[level] != y->in[level])
            return x->in[level] < y->in[level] ? -1 : 1;
    return x->cpu < y->cpu ? -1 : 1;
}

bool wsfj_topology_list_this(struct wsfj_topology *t, const struct wsfj_affinity *mask)
{
    int before = errno, root, system;

    if (!wsfj_topology_allocate(t, wsfj_affinity_count(mask)))
        return false;
    for (unsigned cpu = 0; cpu < mask->end; cpu++)
        if (wsfj_affinity_has(mask, cpu))
            t->units[t->num_threads++].cpu = cpu;
    root =
        wsfj_failpoint(WSFJ_AT_MACHINE) ? -1 : wsfj_procfile_open(AT_FDCWD, wsfj_topology_root, O_PATH | O_DIRECTORY);
    system = wsfj_procfile_open(root, "sys/devices/system", O_PATH | O_DIRECTORY);
    for (unsigned i = 0; i < t->num_threads; i++)
        describe(system, &t->units[i]);
    find_nodes(t, system);
    find_speeds(t, system);
    number_kinds(t);
    if (system >= 0)
        close(system);
    if (root >= 0)
        close(root);
    qsort(t->units, t->num_threads, sizeof *t->units, compare);
    errno = before;
    return true;
}
