/* SPDX-License-Identifier: MIT */
#include "machines.h"

#include "../support/run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if HWLOC_API_VERSION >= 0x00020400
#include <hwloc/cpukinds.h>
#endif

/* Keeps only the processors of a list like "0-3,8". */
static void keep(hwloc_topology_t t, const char *cpus)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    ck_assert_int_eq(hwloc_bitmap_list_sscanf(set, cpus), 0);
    ck_assert_int_eq(hwloc_topology_restrict(t, set, 0), 0);
    hwloc_bitmap_free(set);
}

/* Efficiency -1: the kind is known, its speed is not. */
static void kind(hwloc_topology_t t, const char *cpus, int efficiency)
{
#if HWLOC_API_VERSION >= 0x00020400
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    ck_assert_int_eq(hwloc_bitmap_list_sscanf(set, cpus), 0);
#if HWLOC_API_VERSION >= 0x00030000
    ck_assert_int_eq(hwloc_cpukinds_register(t, set, efficiency, NULL, 0), 0);
#else
    ck_assert_int_eq(hwloc_cpukinds_register(t, set, efficiency, 0, NULL, 0), 0);
#endif
    hwloc_bitmap_free(set);
#endif
}

static void as_it_is(hwloc_topology_t t)
{
    (void)t;
}

static void eight_fast_with_siblings_and_eight_slow(hwloc_topology_t t)
{
    keep(t, "0-15,16,18,20,22,24,26,28,30");
    kind(t, "0-15", 1);
    kind(t, "16-31", 0);
}

static void four_little_three_big_one_prime(hwloc_topology_t t)
{
    kind(t, "0-3", 0);
    kind(t, "4-6", 1);
    kind(t, "7", 2);
}

static void two_kinds_of_unknown_speed(hwloc_topology_t t)
{
    kind(t, "0-1", -1);
    kind(t, "2-3", -1);
}

static void each_core_a_kind(hwloc_topology_t t)
{
    for (int i = 0; i < 6; i++) {
        char cpu[4];

        snprintf(cpu, sizeof cpu, "%d", i);
        kind(t, cpu, i);
    }
}

static void no_siblings(hwloc_topology_t t)
{
    keep(t, "0,2,4,6,8,10,12,14");
}

static void some_siblings(hwloc_topology_t t)
{
    keep(t, "1,2,3,5,6");
}

static void one_core_of_the_second_package(hwloc_topology_t t)
{
    keep(t, "0-3,6");
}

static void nodes_of_4_1_2_and_4_cores(hwloc_topology_t t)
{
    keep(t, "0-3,5,8-9,12-15");
}

static void a_node_without_processors(hwloc_topology_t t)
{
    keep(t, "0-1,4-7");
}

static void hybrid_and_masked(hwloc_topology_t t)
{
    eight_fast_with_siblings_and_eight_slow(t);
    keep(t, "1,14-15,16,30");
}

static void mask_of_a_launcher(hwloc_topology_t t)
{
    keep(t, "36-41");
}

/* The import drops processors that are not allowed. */
static void half_not_allowed(hwloc_topology_t t)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    hwloc_bitmap_set_range(set, 2, 5);
    ck_assert_int_eq(hwloc_topology_allow(t, set, NULL, HWLOC_ALLOW_FLAG_CUSTOM), 0);
    hwloc_bitmap_free(set);
}

/* The second package keeps its processors and loses its memory. */
static void no_memory_there(hwloc_topology_t t)
{
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();

    hwloc_bitmap_set(nodes, 0);
    ck_assert_int_eq(hwloc_topology_restrict(t, nodes, HWLOC_RESTRICT_FLAG_BYNODESET), 0);
    hwloc_bitmap_free(nodes);
}

/* clang-format off */
const struct machine machines[MACHINES] = {
    {"one core", "core:1 pu:1", NULL,
     {1, 1, 1, 1}, 1, 1, "0",
     {0, 0, 0, 0, 0}, ""},
    {"two processors and nothing else", "pu:2", NULL,
     {1, 1, 2, 2}, 2, 1, "0 1",
     {0, 0, 1, 0, 0}, "1"},
    {"desktop", "pack:1 l3:1 core:8 pu:1", NULL,
     {1, 1, 1, 8}, 8, 1, "0 1 2 3 4 5 6 7",
     {0, 7, 0, 0, 0}, "1 2 3 4 5 6 7"},
    {"desktop with siblings", "pack:1 l3:1 l2:4 core:1 pu:2", NULL,
     {1, 1, 1, 4}, 8, 1, "0 2 4 6 1 3 5 7",
     {1, 6, 0, 0, 0}, "1 2 3 4 5 6 7"},
    {"clusters around L2, no package", "l2:4 core:2 pu:1", NULL,
     {1, 1, 4, 8}, 8, 1, "0 1 2 3 4 5 6 7",
     {0, 1, 6, 0, 0}, "1 2 3 4 5 6 7"},
    {"two packages with siblings", "pack:2 l3:1 core:4 pu:2", NULL,
     {2, 1, 2, 8}, 16, 1, "0 2 4 6 8 10 12 14 1 3 5 7",
     {1, 6, 0, 0, 8}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
    {"two packages, a node each", "pack:2 numa:1 l3:1 core:10 pu:2", NULL,
     {2, 2, 2, 20}, 40, 1, "0 2 4 6 8 10 12 14 16 18 20 22",
     {1, 18, 0, 0, 20}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
    {"8 nodes, 16 dies with a cache", "pack:2 numa:4 l3:2 core:4 pu:2", NULL,
     {2, 8, 16, 64}, 128, 1, "0 2 4 6 8 10 12 14 16 18 20 22",
     {1, 6, 8, 48, 64}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
    {"2 nodes, 16 dies with a cache", "pack:2 numa:1 l3:8 core:8 pu:2", NULL,
     {2, 2, 16, 128}, 256, 1, "0 2 4 6 8 10 12 14 16 18 20 22",
     {1, 14, 112, 0, 128}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
    {"4 nodes in a package", "pack:1 numa:4 l3:2 core:4 pu:1", NULL,
     {1, 4, 8, 32}, 32, 1, "0 1 2 3 4 5 6 7 8 9 10 11",
     {0, 3, 4, 24, 0}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
    {"4 packages", "pack:4 l3:1 core:2 pu:1", NULL,
     {4, 1, 4, 8}, 8, 1, "0 1 2 3 4 5 6 7",
     {0, 1, 0, 0, 6}, "1 2 3 4 5 6 7"},
    {"4 siblings", "pack:2 numa:2 l3:1 core:3 pu:4", NULL,
     {2, 4, 4, 12}, 48, 1, "0 4 8 12 16 20 24 28 32 36 40 44",
     {3, 8, 0, 12, 24}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
    {"8 siblings, no shared cache", "pack:2 core:4 pu:8", NULL,
     {2, 1, 8, 8}, 64, 1, "0 8 16 24 32 40 48 56 1 9 17 25",
     {7, 0, 24, 0, 32}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
    {"1024 units", "pack:8 l3:4 core:16 pu:2", NULL,
     {8, 1, 32, 512}, 1024, 1, "0 2 4 6 8 10 12 14 16 18 20 22",
     {1, 30, 96, 0, 896}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"},
    {"1024 cores", "numa:16 core:64 pu:1", NULL,
     {1, 16, 1024, 1024}, 1024, 1, "0 1 2 3 4 5 6 7 8 9 10 11",
     {0, 0, 63, 960, 0}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
    {"a node for both packages", "[numa] pack:2 l3:1 core:2 pu:1", NULL,
     {2, 1, 2, 4}, 4, 1, "0 1 2 3",
     {0, 1, 0, 0, 2}, "1 2 3"},
    {"a node for all and one for each", "[numa] pack:2 [numa] l3:1 core:2 pu:1", NULL,
     {2, 2, 2, 4}, 4, 1, "0 1 2 3",
     {0, 1, 0, 0, 2}, "1 2 3"},
    {"fast and large memory", "pack:2 [numa(memory=1GB)] [numa(memory=16GB)] l3:1 core:2 pu:1", NULL,
     {2, 2, 2, 4}, 4, 1, "0 1 2 3",
     {0, 1, 0, 0, 2}, "1 2 3"},
    {"nodes below a cache", "pack:1 l3:1 numa:2 core:2 pu:1", NULL,
     {1, 2, 1, 4}, 4, 1, "0 1 2 3",
     {0, 1, 0, 2, 0}, "1 2 3"},
    {"processors numbered across", "pack:2 core:2 pu:2(indexes=0,4,2,6,1,5,3,7)", NULL,
     {2, 1, 4, 4}, 8, 1, "0 2 1 3 4 6 5 7",
     {1, 0, 2, 0, 4}, "4 2 6 1 5 3 7"},
    {"groups", "pack:1 group:2 l3:1 core:2 pu:2", NULL,
     {1, 1, 2, 4}, 8, 1, "0 2 4 6 1 3 5 7",
     {1, 2, 4, 0, 0}, "1 2 3 4 5 6 7"},
    {"from a file, as it is", "pack:2 numa:2 l3:1 core:2 pu:2", as_it_is,
     {2, 4, 4, 8}, 16, 1, "0 2 4 6 8 10 12 14 1 3 5 7",
     {1, 2, 0, 4, 8}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
    {"hybrid", "pack:1 l3:1 core:16 pu:2", eight_fast_with_siblings_and_eight_slow,
     {1, 1, 1, 16}, 24, 2, "0 2 4 6 8 10 12 14 16 18 20 22",
     {1, 22, 0, 0, 0}, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"},
    {"three kinds", "pack:1 l3:1 core:8 pu:1", four_little_three_big_one_prime,
     {1, 1, 1, 8}, 8, 3, "7 4 5 6 0 1 2 3",
     {0, 7, 0, 0, 0}, "4 5 6 0 1 2 3"},
    {"kinds of unknown speed", "pack:1 l3:1 core:4 pu:1", two_kinds_of_unknown_speed,
     {1, 1, 1, 4}, 4, 1, "0 1 2 3",
     {0, 3, 0, 0, 0}, "1 2 3"},
    {"more kinds than there can be", "pack:1 l3:1 core:6 pu:1", each_core_a_kind,
     {1, 1, 1, 6}, 6, 1, "0 1 2 3 4 5",
     {0, 5, 0, 0, 0}, "1 2 3 4 5"},
    {"siblings masked", "pack:2 l3:1 core:4 pu:2", no_siblings,
     {2, 1, 2, 8}, 8, 1, "0 2 4 6 8 10 12 14",
     {0, 3, 0, 0, 4}, "2 4 6 8 10 12 14"},
    {"some siblings masked", "pack:1 l3:1 core:4 pu:2", some_siblings,
     {1, 1, 1, 4}, 5, 1, "1 2 5 6 3",
     {0, 4, 0, 0, 0}, "2 3 5 6"},
    {"uneven packages", "pack:2 l3:1 core:4 pu:1", one_core_of_the_second_package,
     {2, 1, 2, 5}, 5, 1, "0 1 2 3 6",
     {0, 3, 0, 0, 1}, "1 2 3 6"},
    {"uneven nodes", "pack:2 numa:2 l3:1 core:4 pu:1", nodes_of_4_1_2_and_4_cores,
     {2, 4, 4, 11}, 11, 1, "0 1 2 3 5 8 9 12 13 14 15",
     {0, 3, 0, 1, 6}, "1 2 3 5 8 9 12 13 14 15"},
    {"a node without processors", "numa:4 core:2 pu:1", a_node_without_processors,
     {1, 3, 6, 6}, 6, 1, "0 1 4 5 6 7",
     {0, 0, 1, 4, 0}, "1 4 5 6 7"},
    {"hybrid and masked", "pack:1 l3:1 core:16 pu:2", hybrid_and_masked,
     {1, 1, 1, 4}, 5, 2, "1 14 16 30 15",
     {0, 4, 0, 0, 0}, "14 15 16 30"},
    {"a launcher's mask", "pack:2 numa:4 l3:2 core:4 pu:2", mask_of_a_launcher,
     {1, 1, 2, 3}, 6, 1, "36 38 40 37 39 41",
     {1, 2, 2, 0, 0}, "37 38 39 40 41"},
    {"a package without memory", "pack:2 numa:1 l3:1 core:2 pu:1", no_memory_there,
     {2, 2, 2, 4}, 4, 1, "0 1 2 3",
     {0, 1, 0, 0, 2}, "1 2 3"},
    {"half not allowed", "pack:1 l3:1 core:4 pu:2", half_not_allowed,
     {1, 1, 1, 2}, 4, 1, "2 4 3 5",
     {1, 2, 0, 0, 0}, "3 4 5"},
};
/* clang-format on */

void export_machine(const struct machine *m, void (*edit)(char *text), char *name)
{
    hwloc_topology_t t;
    char *text;
    int length, file;

    strcpy(name, "/tmp/wsfj-machine-XXXXXX");
    file = mkstemp(name);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(hwloc_topology_init(&t), 0);
    ck_assert_int_eq(hwloc_topology_set_synthetic(t, m->synthetic), 0);
    ck_assert_int_eq(hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED), 0);
    ck_assert_int_eq(hwloc_topology_load(t), 0);
    if (m->change)
        m->change(t);
    ck_assert_int_eq(hwloc_topology_export_xmlbuffer(t, &text, &length, 0), 0);
    if (edit)
        edit(text);
    ck_assert_int_eq((int)write(file, text, strlen(text)), (int)strlen(text));
    close(file);
    hwloc_free_xmlbuffer(t, text);
    hwloc_topology_destroy(t);
}

void read_machine(const struct machine *m, struct wsfj_topology *t)
{
    char name[32];

    if (!m->change) {
        ck_assert(wsfj_topology_read(t, WSFJ_MACHINE_SYNTHETIC, m->synthetic));
        return;
    }
    export_machine(m, NULL, name);
    ck_assert(wsfj_topology_read(t, WSFJ_MACHINE_XML, name));
    unlink(name);
}
