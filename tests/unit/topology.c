/* SPDX-License-Identifier: MIT */
/* The machine as arrays, on machines of hwloc's imagination: lib/topology.h. */
#include "topology.h"

#include "../run.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define MACHINES 5
static const struct machine {
    const char *text;
    unsigned cores, threads;
} machines[MACHINES] = {{"pack:2 l3:2 core:4 pu:2", 16, 32},
                        {"core:1 pu:1", 1, 1},
                        {"pack:1 l3:1 core:8 pu:1", 8, 8},
                        {"pack:2 numa:2 l3:1 core:3 pu:4", 12, 48},
                        {"pack:4 l3:4 core:16 pu:2", 256, 512}};

static struct wsfj_topology topology;

static void read_machine(const char *text)
{
    setenv("HWLOC_SYNTHETIC", text, 1);
    ck_assert(wsfj_topology_read(&topology));
}

/* Catches: threads counted as cores, units the real machine does not have left out by its affinity mask, binding to
 * processors that are not there. */
START_TEST(counts_are_the_machines_and_it_is_not_bound_to)
{
    read_machine(machines[_i].text);
    ck_assert_uint_eq(topology.num_cores, machines[_i].cores);
    ck_assert_uint_eq(topology.num_threads, machines[_i].threads);
    ck_assert(!topology.can_bind);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: a processor listed twice, so that two workers share it while another one is idle. */
START_TEST(every_unit_is_listed_once)
{
    unsigned char seen[512] = {0};

    read_machine(machines[_i].text);
    for (unsigned i = 0; i < topology.num_threads; i++) {
        ck_assert_uint_lt(topology.cpu[i], topology.num_threads);
        ck_assert_uint_eq(seen[topology.cpu[i]]++, 0);
    }
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: siblings used before every core has one worker. */
START_TEST(the_first_units_are_one_of_each_core)
{
    read_machine(machines[_i].text);
    for (unsigned i = 0; i < topology.num_cores; i++)
        for (unsigned j = 0; j < i; j++)
            ck_assert_int_ne(wsfj_topology_tier(&topology, i, j), WSFJ_TIER_CORE);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: two workers on one unit while there are enough of them; an index beyond the list. */
START_TEST(workers_get_units_of_their_own_while_there_are_enough)
{
    static const enum ws_bind binds[] = {WS_BIND_CLOSE, WS_BIND_SPREAD, WS_BIND_NONE};

    read_machine(machines[_i].text);
    for (unsigned b = 0; b < 3; b++) {
        for (unsigned n = 1; n <= topology.num_threads + 3; n += n < 40 ? 1 : 37) {
            unsigned char seen[512] = {0};

            for (unsigned i = 0; i < n; i++) {
                unsigned unit = wsfj_topology_unit(&topology, binds[b], i, n);

                ck_assert_uint_lt(unit, topology.num_threads);
                seen[unit]++;
                ck_assert(seen[unit] == 1 || n > topology.num_threads);
            }
        }
    }
    wsfj_topology_free(&topology);
}
END_TEST

static enum wsfj_tier between(enum ws_bind bind, unsigned a, unsigned b, unsigned n)
{
    return wsfj_topology_tier(&topology, wsfj_topology_unit(&topology, bind, a, n),
                              wsfj_topology_unit(&topology, bind, b, n));
}

/* Catches: close and spread confused: four workers of 2 packages x 2 caches x 4 cores. */
START_TEST(close_shares_a_cache_and_spread_does_not)
{
    read_machine(machines[0].text);
    for (unsigned a = 0; a < 4; a++) {
        for (unsigned b = 0; b < a; b++) {
            ck_assert_int_eq(between(WS_BIND_CLOSE, a, b, 4), WSFJ_TIER_CACHE);
            ck_assert_int_gt(between(WS_BIND_SPREAD, a, b, 4), WSFJ_TIER_CACHE);
        }
    }
    ck_assert_int_eq(between(WS_BIND_SPREAD, 0, 1, 2), WSFJ_TIER_MACHINE);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: a level of the path compared wrongly. Units 0-15 are the cores in order, 16-31 their siblings. */
START_TEST(tiers_are_the_innermost_thing_shared)
{
    read_machine(machines[0].text);
    ck_assert_int_eq(wsfj_topology_tier(&topology, 0, 0), WSFJ_TIER_CORE);
    ck_assert_int_eq(wsfj_topology_tier(&topology, 0, 16), WSFJ_TIER_CORE);
    ck_assert_int_eq(wsfj_topology_tier(&topology, 0, 1), WSFJ_TIER_CACHE);
    ck_assert_int_eq(wsfj_topology_tier(&topology, 0, 17), WSFJ_TIER_CACHE);
    ck_assert_int_eq(wsfj_topology_tier(&topology, 0, 8), WSFJ_TIER_MACHINE);
    ck_assert_int_eq(wsfj_topology_tier(&topology, 3, 31), WSFJ_TIER_MACHINE);
    wsfj_topology_free(&topology);

    read_machine("pack:2 numa:2 l3:2 core:2 pu:1");
    ck_assert_int_eq(wsfj_topology_tier(&topology, 0, 1), WSFJ_TIER_CACHE);
    ck_assert_int_eq(wsfj_topology_tier(&topology, 0, 2), WSFJ_TIER_NUMA);
    ck_assert_int_eq(wsfj_topology_tier(&topology, 0, 4), WSFJ_TIER_PACKAGE);
    ck_assert_int_eq(wsfj_topology_tier(&topology, 0, 8), WSFJ_TIER_MACHINE);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: a distance that depends on who asks. */
START_TEST(tiers_are_symmetric)
{
    read_machine(machines[_i].text);
    for (unsigned a = 0; a < topology.num_threads; a += 1 + a / 8)
        for (unsigned b = 0; b < topology.num_threads; b++)
            ck_assert_int_eq(wsfj_topology_tier(&topology, a, b), wsfj_topology_tier(&topology, b, a));
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: more workers by default than this process may use, as in a container or under taskset. */
START_TEST(the_real_machine_is_what_the_affinity_mask_allows)
{
    cpu_set_t mask;
    unsigned cpu = 0;

    unsetenv("HWLOC_SYNTHETIC");
    ck_assert_int_eq(sched_getaffinity(0, sizeof mask, &mask), 0);
    ck_assert(wsfj_topology_read(&topology));
    ck_assert_int_eq((int)topology.num_threads, CPU_COUNT(&mask));
    ck_assert_uint_le(topology.num_cores, topology.num_threads);
    ck_assert(topology.can_bind);
    for (unsigned i = 0; i < topology.num_threads; i++)
        ck_assert(CPU_ISSET(topology.cpu[i], &mask));
    wsfj_topology_free(&topology);

    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &mask))
            cpu = i;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    ck_assert_int_eq(sched_setaffinity(0, sizeof mask, &mask), 0);
    ck_assert(wsfj_topology_read(&topology));
    ck_assert_uint_eq(topology.num_threads, 1);
    ck_assert_uint_eq(topology.num_cores, 1);
    ck_assert_uint_eq(topology.cpu[0], cpu);
    wsfj_topology_free(&topology);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("topology");

    tcase_add_loop_test(tcase, counts_are_the_machines_and_it_is_not_bound_to, 0, MACHINES);
    tcase_add_loop_test(tcase, every_unit_is_listed_once, 0, MACHINES);
    tcase_add_loop_test(tcase, the_first_units_are_one_of_each_core, 0, MACHINES);
    tcase_add_loop_test(tcase, workers_get_units_of_their_own_while_there_are_enough, 0, MACHINES);
    tcase_add_test(tcase, close_shares_a_cache_and_spread_does_not);
    tcase_add_test(tcase, tiers_are_the_innermost_thing_shared);
    tcase_add_loop_test(tcase, tiers_are_symmetric, 0, MACHINES);
    tcase_add_test(tcase, the_real_machine_is_what_the_affinity_mask_allows);
    return run_case("topology", tcase);
}
