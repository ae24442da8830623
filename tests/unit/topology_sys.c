/* SPDX-License-Identifier: MIT */
/* The machine as the kernel describes it under /sys: lib/machine/topology_sys.c, on machines made of files. */
#include "machine/topology.h"

#include "base/procfile.h"

#include "machine/tier.h"
#include "fakeroot.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM "sys/devices/system/"
#define NO_NODES 0
#define NO_CACHE (-1)

/* The numbering of processors: siblings side by side; siblings after all cores; cores of the packages in turn. */
struct machine {
    const char *name;
    const char *mask;                            /* one character for each processor: x may be used, - may not */
    int packages, nodes, cores, siblings, cache; /* in all; cache: cores that share the last cache */
    enum numbering { BESIDE, ACROSS, SCATTERED } numbering;
    bool former; /* file names before Linux 5.3 */
    int slow;    /* so many of the last cores are slow */
    unsigned count[WSFJ_LEVELS], kinds;
    const char *cpus;  /* in binding order */
    const char *tiers; /* distances of the others from the first, in that order, as wsfj-info shows them */
};

static const struct machine machines[] = {
    {"one core", "x", 1, NO_NODES, 1, 1, NO_CACHE, BESIDE, false, 0, {1, 1, 1, 1}, 1, "0", ""},
    {"two cores, a cache each", "xx", 1, 1, 2, 1, 1, BESIDE, false, 0, {1, 1, 2, 2}, 1, "0 1", "n"},
    {"siblings beside each other", "xxxxxxxx", 1, 1, 4, 2, 4, BESIDE, false, 0, {1, 1, 1, 4}, 1, "0 2 4 6 1 3 5 7", "cccoccc"},
    {"siblings across", "xxxxxxxx", 1, 1, 4, 2, 4, ACROSS, false, 0, {1, 1, 1, 4}, 1, "0 1 2 3 4 5 6 7", "cccoccc"},
    {"two packages with two nodes each",
     "xxxxxxxxxxxxxxxx",
     2,
     4,
     8,
     2,
     1,
     ACROSS,
     false,
     0,
     {2, 4, 8, 8},
     1,
     "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
     "nppmmmmonppmmmm"},
    {"two caches in a node", "xxxxxxxx", 2, 2, 8, 1, 2, BESIDE, false, 0, {2, 2, 4, 8}, 1, "0 1 2 3 4 5 6 7", "cnnmmmm"},
    {"siblings masked", "x-x-x-x-", 2, 2, 4, 2, 2, BESIDE, false, 0, {2, 2, 2, 4}, 1, "0 2 4 6", "cmm"},
    {"first units masked", "-xxx--xx", 2, 2, 4, 2, 2, BESIDE, false, 0, {2, 2, 2, 3}, 1, "1 2 6 3 7", "cmcm"},
    {"packages in turn", "xxxxxxxx", 2, 2, 8, 1, 2, SCATTERED, false, 0, {2, 2, 4, 8}, 1, "0 2 4 6 1 3 5 7", "cnnmmmm"},
    {"names before Linux 5.3", "xxxxxxxx", 2, 2, 4, 2, 2, ACROSS, true, 0, {2, 2, 2, 4}, 1, "0 1 2 3 4 5 6 7", "cmmocmm"},
    {"big and little", "xxxxxxxx", 1, NO_NODES, 8, 1, 4, BESIDE, false, 4, {1, 1, 2, 8}, 2, "0 1 2 3 4 5 6 7", "cccnnnn"},
};
#define MACHINES ((int)(sizeof machines / sizeof *machines))

static struct wsfj_topology topology;

static int in_all(const struct machine *m)
{
    return m->cores * m->siblings;
}

/* The core of a processor. */
static int core_of(const struct machine *m, int cpu)
{
    if (m->numbering == SCATTERED)
        return cpu % m->packages * (m->cores / m->packages) + cpu / m->packages;
    return m->numbering == ACROSS ? cpu % m->cores : cpu / m->siblings;
}

/* Writes the processors of the cores from..to into the file, in the kernel's format. */
static void write_list(const struct machine *m, int from, int to, const char *path)
{
    char text[256] = "";
    size_t used = 0;

    for (int cpu = 0, last; cpu < in_all(m); cpu = last + 1) {
        last = cpu;
        if (core_of(m, cpu) < from || core_of(m, cpu) >= to)
            continue;
        while (last + 1 < in_all(m) && core_of(m, last + 1) >= from && core_of(m, last + 1) < to)
            last++;
        used += (size_t)snprintf(text + used, sizeof text - used, last > cpu ? "%s%d-%d" : "%s%d", used ? "," : "", cpu,
                                 last);
    }
    snprintf(text + used, sizeof text - used, "\n");
    fakeroot_file(path, text);
}

/* Writes the file of the group of `size` cores with the processor's core. */
static void write_group(const struct machine *m, int cpu, int size, const char *name)
{
    char path[128];
    int from = core_of(m, cpu) / size * size;

    snprintf(path, sizeof path, SYSTEM "cpu/cpu%d/%s", cpu, name);
    write_list(m, from, from + size, path);
}

static void write_text(int cpu, const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, SYSTEM "cpu/cpu%d/%s", cpu, name);
    fakeroot_file(path, text);
}

/* As in a real processor: data and instruction caches of each core, then the last level, of several cores. */
static void write_caches(const struct machine *m, int cpu)
{
    static const char *const levels[] = {"1\n", "1\n", "2\n", "3\n"};
    static const char *const types[] = {"Data\n", "Instruction\n", "Unified\n", "Unified\n"};
    char name[64];

    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "cache/index%d/level", i);
        write_text(cpu, name, levels[i]);
        snprintf(name, sizeof name, "cache/index%d/type", i);
        write_text(cpu, name, types[i]);
        snprintf(name, sizeof name, "cache/index%d/shared_cpu_list", i);
        write_group(m, cpu, i < 3 ? 1 : m->cache, name);
    }
}

static void write_machine(const struct machine *m)
{
    char path[128];

    for (int cpu = 0; cpu < in_all(m); cpu++) {
        write_group(m, cpu, 1, m->former ? "topology/thread_siblings_list" : "topology/core_cpus_list");
        write_group(m, cpu, m->cores / m->packages,
                    m->former ? "topology/core_siblings_list" : "topology/package_cpus_list");
        if (m->cache != NO_CACHE)
            write_caches(m, cpu);
        if (m->slow)
            write_text(cpu, "cpu_capacity", core_of(m, cpu) >= m->cores - m->slow ? "446\n" : "1024\n");
    }
    for (int node = 0; node < m->nodes; node++) {
        snprintf(path, sizeof path, SYSTEM "node/node%d/cpulist", node);
        write_list(m, node * m->cores / m->nodes, (node + 1) * m->cores / m->nodes, path);
    }
    snprintf(path, sizeof path, m->nodes > 1 ? "0-%d\n" : "%d\n", m->nodes - 1);
    if (m->nodes)
        fakeroot_file(SYSTEM "node/online", path);
}

static void read_files(const char *which)
{
    size_t end = strlen(which);
    struct wsfj_affinity mask = {.set = CPU_ALLOC(end), .bytes = CPU_ALLOC_SIZE(end), .end = (unsigned)end};

    CPU_ZERO_S(mask.bytes, (cpu_set_t *)mask.set);
    for (size_t cpu = 0; cpu < end; cpu++)
        if (which[cpu] == 'x')
            CPU_SET_S(cpu, mask.bytes, (cpu_set_t *)mask.set);
    wsfj_topology_root = fakeroot;
    ck_assert(wsfj_topology_make(&topology, WSFJ_MACHINE_THIS, NULL, &mask));
    ck_assert(topology.can_bind);
    wsfj_affinity_free(&mask);
}

static const char *binding_order(void)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < topology.num_threads; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, i ? " %u" : "%u", topology.units[i].cpu);
    return text;
}

static const char *tiers(void)
{
    static char text[64];

    for (unsigned i = 1; i < topology.num_threads; i++)
        text[i - 1] = "ocnpm"[wsfj_topology_tier(&topology, 0, i)];
    text[topology.num_threads - 1] = '\0';
    return text;
}

/* Catches: a file that is not read, or only under one of its two names; a cache of the wrong level; units that are not
 * in the mask; siblings with distant numbers taken for cores; an order of the machine by numbers alone. */
START_TEST(the_machine_is_what_the_files_say)
{
    const struct machine *m = &machines[_i];

    write_machine(m);
    read_files(m->mask);
    for (int level = 0; level < WSFJ_LEVELS; level++)
        ck_assert_msg(topology.count[level] == m->count[level], "%s: level %d: %u", m->name, level,
                      topology.count[level]);
    ck_assert_uint_eq(topology.num_kinds, m->kinds);
    ck_assert_msg(strcmp(binding_order(), m->cpus) == 0, "%s: %s", m->name, binding_order());
    ck_assert_msg(strcmp(tiers(), m->tiers) == 0, "%s: %s", m->name, tiers());
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: a crash, or unused CPUs, where /sys is not mounted or lacks these files. */
START_TEST(without_files_the_cpus_are_equal_cores)
{
    static const char *const none[] = {"", SYSTEM "cpu/cpu0/topology/core_id", SYSTEM "node/has_cpu"};

    if (_i > 0)
        fakeroot_file(none[_i], "0\n");
    read_files("-xx-x");
    ck_assert_str_eq(binding_order(), "1 2 4");
    ck_assert_str_eq(tiers(), "nn");
    ck_assert_uint_eq(topology.num_cores, 3);
    ck_assert_uint_eq(topology.num_kinds, 1);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: CPUs of the mask that do not count because their files are missing, as in a container that shows only some. */
START_TEST(a_cpu_of_the_mask_counts_though_it_has_no_files)
{
    write_machine(&machines[5]); /* CPUs 0 to 7 */
    read_files("-x--xx---xx");
    ck_assert_str_eq(binding_order(), "1 4 5 9 10");
    ck_assert_str_eq(tiers(), "mmmm");
    ck_assert_uint_eq(topology.num_cores, 5);
    ck_assert_uint_eq(topology.count[WSFJ_LEVEL_PACKAGE], 3);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: a machine without a processor, if not even the mask is known. */
START_TEST(without_a_mask_there_is_one_processor)
{
    write_machine(&machines[5]);
    wsfj_topology_root = fakeroot;
    ck_assert(wsfj_topology_make(&topology, WSFJ_MACHINE_THIS, NULL, &(struct wsfj_affinity){.set = NULL}));
    ck_assert(!topology.can_bind);
    ck_assert_str_eq(binding_order(), "0");
    ck_assert_uint_eq(topology.num_kinds, 1);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: invalid text that becomes a number, or causes an endless loop. */
START_TEST(files_without_sense_are_as_if_missing)
{
    static const char *const texts[] = {"", "\n", "elephants\n", "-1\n", "99999999999999999999\n", " 0\n"};

    fakeroot_file(SYSTEM "cpu/cpu1/topology/core_cpus_list", texts[_i]);
    fakeroot_file(SYSTEM "cpu/cpu1/topology/package_cpus_list", texts[_i]);
    fakeroot_file(SYSTEM "cpu/cpu1/cache/index0/level", texts[_i]);
    fakeroot_file(SYSTEM "cpu/cpu1/cpu_capacity", texts[_i]);
    fakeroot_file(SYSTEM "node/online", "0-4294967294\n");
    fakeroot_file(SYSTEM "node/node0/cpulist", texts[_i]);
    read_files("xx");
    ck_assert_str_eq(binding_order(), "0 1");
    ck_assert_str_eq(tiers(), "n");
    ck_assert_uint_eq(topology.num_kinds, 1);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: hybrid x86 processors, which have lists instead of capacities, taken for equal cores; slow cores used
 * first. */
START_TEST(efficient_cores_come_last)
{
    fakeroot_file("sys/devices/cpu_core/cpus", "2-3\n");
    fakeroot_file("sys/devices/cpu_atom/cpus", "0-1\n");
    fakeroot_file(SYSTEM "cpu/online", "0-3\n");
    read_files("xxxx");
    ck_assert_uint_eq(topology.num_kinds, 2);
    ck_assert_str_eq(binding_order(), "2 3 0 1");
    wsfj_topology_free(&topology);
}
END_TEST

static void write_numbers(const char *name, unsigned n, const unsigned *numbers)
{
    char text[16];

    for (unsigned cpu = 0; cpu < n; cpu++) {
        snprintf(text, sizeof text, "%u\n", numbers[cpu]);
        write_text((int)cpu, name, text);
    }
}

#define CLOCK "cpufreq/cpuinfo_max_freq"

/* Catches: hybrid processors that the kernel tells from others only by their clocks (AMD's small cores, Intel's for low
 * power) taken for equal cores; fast efficient cores before slower ones that do more in a cycle. */
START_TEST(without_capacities_the_clock_tells)
{
    static const unsigned two[] = {3300000, 3300000, 5100000, 5100000}, three[] = {2500000, 3800000, 3600000, 4700000};

    write_numbers(CLOCK, 4, two);
    read_files("xxxx");
    ck_assert_uint_eq(topology.num_kinds, 2);
    ck_assert_str_eq(binding_order(), "2 3 0 1");
    wsfj_topology_free(&topology);

    fakeroot_file("sys/devices/cpu_atom/cpus", "0-1\n");
    write_numbers(CLOCK, 4, three);
    read_files("xxxx");
    ck_assert_uint_eq(topology.num_kinds, 4);
    ck_assert_str_eq(binding_order(), "3 2 1 0");
    wsfj_topology_free(&topology);

    write_numbers("cpu_capacity", 4, (const unsigned[]){500, 1000, 500, 1000});
    read_files("xxxx");
    ck_assert_uint_eq(topology.num_kinds, 2);
    ck_assert_str_eq(binding_order(), "1 3 0 2");
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: kinds made of CPUs of which only some have a clock, as while a driver starts. */
START_TEST(a_clock_that_is_not_everywhere_does_not_count)
{
    write_numbers(CLOCK, 3, (const unsigned[]){3000000, 1000000, 5000000});
    read_files("xxxx");
    ck_assert_uint_eq(topology.num_kinds, 1);
    ck_assert_str_eq(binding_order(), "0 1 2 3");
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: favoured cores of one kind, with turbo frequencies of their own, separated from their neighbours: within a
 * tenth of the fastest, or each a kind. */
START_TEST(favoured_cores_are_no_kind)
{
    static const unsigned near[] = {5000000, 5500000, 4950000, 5400000, 5300000};
    static const unsigned next[] = {5000000, 5500000, 4949999, 5400000, 5300000};
    static const unsigned most[] = {1000, 2000, 3000, 4000, 4000}, more[] = {1000, 2000, 3000, 4000, 5000};

    write_numbers(CLOCK, 5, near);
    read_files("xxxxx");
    ck_assert_uint_eq(topology.num_kinds, 1);
    ck_assert_str_eq(binding_order(), "0 1 2 3 4");
    wsfj_topology_free(&topology);
    write_numbers(CLOCK, 5, next);
    read_files("xxxxx");
    ck_assert_uint_eq(topology.num_kinds, 2);
    ck_assert_str_eq(binding_order(), "0 1 3 4 2");
    wsfj_topology_free(&topology);
    write_numbers(CLOCK, 5, most);
    read_files("xxxxx");
    ck_assert_uint_eq(topology.num_kinds, 4);
    ck_assert_str_eq(binding_order(), "3 4 2 1 0");
    wsfj_topology_free(&topology);
    write_numbers(CLOCK, 5, more);
    read_files("xxxxx");
    ck_assert_uint_eq(topology.num_kinds, 1);
    ck_assert_str_eq(binding_order(), "0 1 2 3 4");
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: a list truncated because it is longer than one read. */
START_TEST(long_lists_are_read_to_their_end)
{
    static char list[8192], mask[1025];
    size_t used = 0;

    for (unsigned cpu = 0; cpu < 1024; cpu += 2)
        used += (size_t)snprintf(list + used, sizeof list - used, cpu ? ",%u" : "%u", cpu);
    ck_assert_uint_gt(used, sizeof(struct wsfj_procfile));
    fakeroot_file(SYSTEM "node/online", "0-1\n");
    fakeroot_file(SYSTEM "node/node0/cpulist", list);
    memset(mask, 'x', sizeof mask - 1);
    read_files(mask);
    for (unsigned i = 0; i < topology.num_threads; i++)
        ck_assert_uint_eq(topology.units[i].in[WSFJ_LEVEL_NUMA], topology.units[i].cpu % 2);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: a descriptor that stays open; a changed errno for the caller of ws_init(). */
START_TEST(nothing_is_left_behind)
{
    unsigned before = open_files();

    write_machine(&machines[0]);
    errno = 12345;
    read_files(machines[0].mask);
    ck_assert_int_eq(errno, 12345);
    ck_assert_uint_eq(open_files(), before);
    wsfj_topology_free(&topology);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("topology_sys");

    tcase_add_checked_fixture(tcase, fakeroot_make, fakeroot_remove);
    tcase_add_loop_test(tcase, the_machine_is_what_the_files_say, 0, MACHINES);
    tcase_add_loop_test(tcase, without_files_the_cpus_are_equal_cores, 0, 3);
    tcase_add_test(tcase, a_cpu_of_the_mask_counts_though_it_has_no_files);
    tcase_add_test(tcase, without_a_mask_there_is_one_processor);
    tcase_add_loop_test(tcase, files_without_sense_are_as_if_missing, 0, 6);
    tcase_add_test(tcase, efficient_cores_come_last);
    tcase_add_test(tcase, without_capacities_the_clock_tells);
    tcase_add_test(tcase, a_clock_that_is_not_everywhere_does_not_count);
    tcase_add_test(tcase, favoured_cores_are_no_kind);
    tcase_add_test(tcase, long_lists_are_read_to_their_end);
    tcase_add_test(tcase, nothing_is_left_behind);
    return run_case("topology_sys", tcase);
}
