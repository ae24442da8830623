/* SPDX-License-Identifier: MIT */
/* The machine as arrays, on machines that hwloc imagines (machines.c): lib/machine/topology.h. */
#include "machines.h"

#include "machine/placement.h"
#include "worker/victim.h"

#include "machine/tier.h"
#include "../support/resources.h"
#include "../support/run.h"
#include "../support/sanitizer.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct wsfj_topology topology;
static struct wsfj_placement layout;

/* One worker for each unit, as by default. */
static void read_and_lay_out(const struct machine *m)
{
    const struct wsfj_places unset = {.what = WSFJ_PLACES_UNSET};

    read_machine(m, &topology);
    ck_assert(wsfj_placement_places(&layout, &topology, &unset, WS_BIND_CLOSE));
    ck_assert(wsfj_placement_workers(&layout, &topology, wsfj_placement_room(&layout, &topology, false)));
}

static void drop(void)
{
    wsfj_placement_free(&layout);
    wsfj_topology_free(&topology);
}

static void append(char *text, size_t size, unsigned cpu)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, used ? " %u" : "%u", cpu);
}

/* Catches: threads counted as cores; equal numbers for things of two levels; counted units that are masked, not allowed
 * or of a node without processors; kinds of cores where there are none; binding to processors that do not exist. */
START_TEST(counts_are_the_machines_and_it_is_not_bound_to)
{
    const struct machine *m = &machines[_i];

    read_machine(m, &topology);
    for (int level = 0; level < WSFJ_LEVELS; level++)
        ck_assert_msg(topology.count[level] == m->count[level], "%s: level %d: %u", m->name, level,
                      topology.count[level]);
    ck_assert_uint_eq(topology.num_cores, m->count[WSFJ_LEVEL_CORE]);
    ck_assert_uint_eq(topology.num_threads, m->threads);
    ck_assert_uint_eq(topology.num_kinds, m->kinds);
    ck_assert(!topology.can_bind);
    drop();
}
END_TEST

/* Catches: a processor listed twice, so that two workers share it while another one is idle. */
START_TEST(every_unit_is_listed_once)
{
    unsigned char seen[UNITS_MOST] = {0}, places[UNITS_MOST] = {0};

    read_machine(&machines[_i], &topology);
    for (unsigned i = 0; i < topology.num_threads; i++) {
        ck_assert_uint_lt(topology.units[i].cpu, UNITS_MOST);
        ck_assert_uint_eq(seen[topology.units[i].cpu]++, 0);
        ck_assert_uint_lt(topology.units[i].index, topology.num_threads);
        ck_assert_uint_eq(places[topology.units[i].index]++, 0);
    }
    drop();
}
END_TEST

/* Catches: siblings used before every core has one worker; slow cores before fast ones; neighbours far apart. */
START_TEST(workers_go_where_the_table_says)
{
    char cpus[4096] = "";
    const struct machine *m = &machines[_i];

    read_and_lay_out(m);
    ck_assert_uint_eq(layout.workers, m->threads);
    for (unsigned i = 0; i < layout.workers && strlen(cpus) < strlen(m->cpus); i++)
        append(cpus, sizeof cpus, topology.units[layout.unit[i]].cpu);
    ck_assert_msg(strcmp(cpus, m->cpus) == 0, "%s: %s", m->name, cpus);
    for (unsigned i = 1; i < topology.num_cores; i++)
        for (unsigned j = 0; j < i; j++)
            ck_assert_int_ne(wsfj_topology_tier(&topology, i, j), WSFJ_TIER_CORE);
    drop();
}
END_TEST

/* Catches: a level compared wrongly or in the wrong order; equal numbers for caches or cores of two packages. */
START_TEST(tiers_and_victims_are_as_the_table_says)
{
    static unsigned near[UNITS_MOST];
    static enum wsfj_tier gap[UNITS_MOST];
    const struct machine *m = &machines[_i];
    unsigned counts[WSFJ_TIER_COUNT] = {0};
    char text[4096] = "";
    struct wsfj_victim_order order;
    struct wsfj_victims victims;

    read_and_lay_out(m);
    for (unsigned i = 0; i < layout.workers; i++)
        counts[wsfj_placement_tier(&layout, &topology, 0, i)] += i > 0;
    for (int tier = 0; tier < WSFJ_TIER_COUNT; tier++)
        ck_assert_msg(counts[tier] == m->tiers[tier], "%s: %s: %u", m->name, wsfj_tier_names[tier], counts[tier]);
    ck_assert(wsfj_placement_neighbours(&layout, &topology, near));
    for (unsigned i = 1; i < layout.workers; i++)
        gap[i] = wsfj_placement_tier(&layout, &topology, near[i - 1], near[i]);
    ck_assert(wsfj_victim_order_make(&order, layout.workers, near, gap, NULL));
    for (unsigned i = 0; i < layout.workers; i++)
        for (unsigned j = 0; j < layout.workers; j++) {
            wsfj_victims_make(&victims, &order, i);
            if (i != j && wsfj_victims_tier(&victims, j) != wsfj_placement_tier(&layout, &topology, i, j))
                ck_abort_msg("%s: workers %u and %u", m->name, i, j);
        }
    wsfj_victims_make(&victims, &order, 0);
    for (const struct wsfj_victim_range *nearer = victims.range; nearer < victims.range + WSFJ_TIER_COUNT; nearer++) {
        const struct wsfj_victim_range *all = nearer + 1;

        for (unsigned at = nearer->high; strlen(text) < strlen(m->victims); at++) {
            at = at == all->high ? all->low : at; /* the workers behind it, then those before it */
            if (at == nearer->low)
                break;
            append(text, sizeof text, topology.units[layout.unit[order.near[at]]].cpu);
        }
    }
    ck_assert_msg(strcmp(text, m->victims) == 0, "%s: %s", m->name, text);
    wsfj_victim_order_free(&order);
    drop();
}
END_TEST

/* Catches: a distance that is not symmetric. */
START_TEST(tiers_are_symmetric)
{
    read_machine(&machines[_i], &topology);
    for (unsigned a = 0; a < topology.num_threads; a += 1 + a / 8)
        for (unsigned b = 0; b < topology.num_threads; b++)
            ck_assert_int_eq(wsfj_topology_tier(&topology, a, b), wsfj_topology_tier(&topology, b, a));
    drop();
}
END_TEST

/* Catches: hwloc's own variables without effect; a machine from them taken for this machine. */
START_TEST(hwlocs_variables_choose_the_machine)
{
    char name[32];

    setenv("HWLOC_SYNTHETIC", "pack:3 core:2 pu:2", 1);
    ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_THIS, NULL));
    ck_assert_uint_eq(topology.num_threads, 12);
    ck_assert(!topology.can_bind);
    drop();
    unsetenv("HWLOC_SYNTHETIC");

    export_machine(&machines[7], NULL, name);
    setenv("HWLOC_XMLFILE", name, 1);
    ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_THIS, NULL));
    ck_assert_uint_eq(topology.num_threads, machines[7].threads);
    ck_assert(!topology.can_bind);
    drop();

    /* wsfj-info's own options win */
    ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_SYNTHETIC, "core:3 pu:1"));
    ck_assert_uint_eq(topology.num_threads, 3);
    drop();
    unlink(name);
}
END_TEST

static void cut_nodes(char *text)
{
    static const char end[] = "</object>";
    char *start;

    while ((start = strstr(text, "<object type=\"NUMANode\"")) != NULL) {
        char *rest = strstr(start, end);

        ck_assert_ptr_nonnull(rest);
        rest += sizeof end - 1;
        memmove(start, rest, strlen(rest) + 1);
    }
}

/* hwloc 2.9 refuses a machine without any NUMA node; later versions may not. Catches: a crash, or no runtime, when
 * hwloc reports nothing. */
START_TEST(zero_numa_nodes_are_no_reason_to_fail)
{
    char name[32];
    cpu_set_t mask;

    export_machine(&machines[5], cut_nodes, name);
    setenv("HWLOC_XMLFILE", name, 1);
    ck_assert_int_eq(sched_getaffinity(0, sizeof mask, &mask), 0);
    ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_THIS, NULL));
    ck_assert_uint_eq(topology.count[WSFJ_LEVEL_NUMA], 1);
    if (topology.can_bind) /* the flat list */
        ck_assert_int_eq((int)topology.num_threads, CPU_COUNT(&mask));
    else
        ck_assert_uint_eq(topology.num_threads, machines[5].threads);
    drop();
    unlink(name);
}
END_TEST

/* Catches: an invalid description taken for this machine. */
START_TEST(a_description_without_sense_is_refused)
{
    ck_assert(!wsfj_topology_read(&topology, WSFJ_MACHINE_SYNTHETIC, "thirteen elephants"));
    ck_assert(!wsfj_topology_read(&topology, WSFJ_MACHINE_XML, "/nonexistent/machine.xml"));
    ck_assert_ptr_null(topology.units);
}
END_TEST

/* Catches: memory of descriptions that stays, of refused ones, too. */
START_TEST(descriptions_leave_no_memory)
{
    enum { TIMES = 20 };
    hwloc_topology_t user;
    size_t before = 0;

    /* hwloc loads its plugins for its first user and unloads them after its last. What they leave each time is theirs. */
    ck_assert_int_eq(hwloc_topology_init(&user), 0);
    for (int i = 0; i <= TIMES; i++) {
        ck_assert(!wsfj_topology_read(&topology, WSFJ_MACHINE_SYNTHETIC, "thirteen elephants"));
        ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_SYNTHETIC, "core:2 pu:1"));
        drop();
        if (i == 0)
            before = allocated(); /* with what hwloc keeps for itself */
    }
    ck_assert_uint_lt(allocated(), before + TIMES * 100);
    hwloc_topology_destroy(user);
}
END_TEST

/* Catches: more workers by default than this process may use, as under taskset, mpirun, srun or in a container. */
START_TEST(the_real_machine_is_what_the_affinity_mask_allows)
{
    cpu_set_t mask;
    unsigned cpu = 0;

    ck_assert_int_eq(sched_getaffinity(0, sizeof mask, &mask), 0);
    ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_THIS, NULL));
    ck_assert_int_eq((int)topology.num_threads, CPU_COUNT(&mask));
    ck_assert_uint_le(topology.num_cores, topology.num_threads);
    ck_assert(topology.can_bind);
    for (unsigned i = 0; i < topology.num_threads; i++)
        ck_assert(CPU_ISSET(topology.units[i].cpu, &mask));
    drop();

    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &mask))
            cpu = i;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    ck_assert_int_eq(sched_setaffinity(0, sizeof mask, &mask), 0);
    ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_THIS, NULL));
    ck_assert_uint_eq(topology.num_threads, 1);
    ck_assert_uint_eq(topology.num_cores, 1);
    ck_assert_uint_eq(topology.units[0].cpu, cpu);
    drop();
}
END_TEST

/* Catches: the mask ignored when hwloc is told that the description is of this machine. */
START_TEST(a_description_of_this_machine_is_masked_and_bound_to)
{
    cpu_set_t mask;

    CPU_ZERO(&mask);
    setenv("HWLOC_SYNTHETIC", "core:64 pu:1", 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    ck_assert_int_eq(sched_getaffinity(0, sizeof mask, &mask), 0);
    ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_THIS, NULL));
    ck_assert(topology.can_bind);
    for (unsigned i = 0; i < topology.num_threads; i++)
        ck_assert(CPU_ISSET(topology.units[i].cpu, &mask));
    ck_assert_int_le((int)topology.num_threads, CPU_COUNT(&mask));
    drop();
}
END_TEST

/* A mask of `n` processors. */
int main(void)
{
    TCase *tcase = new_case("topology");

    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_THISSYSTEM");
    tcase_add_loop_test(tcase, counts_are_the_machines_and_it_is_not_bound_to, 0, MACHINES);
    tcase_add_loop_test(tcase, every_unit_is_listed_once, 0, MACHINES);
    tcase_add_loop_test(tcase, workers_go_where_the_table_says, 0, MACHINES);
    tcase_add_loop_test(tcase, tiers_and_victims_are_as_the_table_says, 0, MACHINES);
    tcase_add_loop_test(tcase, tiers_are_symmetric, 0, MACHINES);
    tcase_add_test(tcase, hwlocs_variables_choose_the_machine);
    tcase_add_test(tcase, zero_numa_nodes_are_no_reason_to_fail);
    tcase_add_test(tcase, a_description_without_sense_is_refused);
    ADD_TEST_UNLESS(SANITIZED ? "it has an allocator of its own" : NULL, tcase, descriptions_leave_no_memory);
    tcase_add_test(tcase, the_real_machine_is_what_the_affinity_mask_allows);
    tcase_add_test(tcase, a_description_of_this_machine_is_masked_and_bound_to);
    return run_case("topology", tcase);
}
