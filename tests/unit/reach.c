/* SPDX-License-Identifier: MIT */
/* Which CPUs a worker has when others use its place: lib/worker/reach.h. */
#include "machine/placement.h"
#include "machine/topology.h"
#include "worker/reach.h"

#include "../support/run.h"

#include <stdio.h>
#include <string.h>

static struct wsfj_topology topology;
static struct wsfj_placement layout;
static struct wsfj_worker worker;
static unsigned cpus[64];

static void lay_out(const char *text, unsigned workers)
{
    struct wsfj_places places = {.what = WSFJ_PLACES_UNSET};

    ck_assert(!text || wsfj_places_parse(text, &places));
    ck_assert(wsfj_placement_places(&layout, &topology, &places, WS_BIND_AUTO));
    wsfj_places_free(&places);
    topology.can_bind = true;
    ck_assert(wsfj_placement_workers(&layout, &topology, workers));
    for (unsigned i = 0; i < layout.end[layout.places - 1]; i++)
        cpus[i] = topology.units[layout.member[i]].cpu;
    ck_assert(wsfj_reach_make(&topology, &layout, cpus));
}

static void drop(void)
{
    wsfj_reach_free();
    wsfj_placement_free(&layout);
    wsfj_topology_free(&topology);
}

/* The CPUs of worker `i` at each step, as "0 0-1 0-3 0-7". */
static const char *steps(unsigned i, const struct wsfj_mask *limit)
{
    static char text[400];
    size_t used = 0;
    const unsigned *units = wsfj_placement_units(&layout, i, &worker.num_cpus);

    worker.id = i;
    worker.cpus = cpus + (units - layout.member);
    text[0] = '\0';
    for (enum wsfj_reach_step step = WSFJ_REACH_PLACE; step <= WSFJ_REACH_ALL; step++) {
        const char *before = step ? " " : "";
        struct wsfj_mask m;

        wsfj_reach_cpus(&worker, step, limit, &m);
        for (unsigned first = 0; first < 64; first++) {
            unsigned last = first;

            if (!CPU_ISSET(first, m.sets))
                continue;
            while (CPU_ISSET(last + 1, m.sets))
                last++;
            used += (size_t)snprintf(text + used, sizeof text - used, last > first ? "%s%u-%u" : "%s%u", before, first,
                                     last);
            before = ",";
            first = last;
        }
    }
    return text;
}

static void read_synthetic(const char *text)
{
    ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_SYNTHETIC, text));
}

/* Catches: a step that leaves out a CPU, or goes too far; CPUs beyond the limit. */
START_TEST(cache_then_node_then_all)
{
    struct wsfj_mask some = {.sets = {{{0}}}};

    read_synthetic("pack:2 numa:1 l3:2 core:2 pu:1");
    lay_out(NULL, 8);
    ck_assert_str_eq(steps(0, NULL), "0 0-1 0-3 0-7");
    ck_assert_str_eq(steps(6, NULL), "6 6-7 4-7 0-7");
    CPU_SET(0, some.sets);
    CPU_SET(2, some.sets);
    CPU_SET(5, some.sets);
    ck_assert_str_eq(steps(0, &some), "0 0 0,2 0,2,5");
    drop();
}
END_TEST

/* Catches: CPUs that are in no place; a place of several CPUs that counts as its first; too many workers for the places. */
START_TEST(places_bound_all_steps)
{
    read_synthetic("pack:2 numa:1 l3:2 core:2 pu:1");
    lay_out("{0,2},{3},{5}", 3);
    ck_assert_str_eq(steps(0, NULL), "0,2 0,2-3 0,2-3 0,2-3,5");
    ck_assert_str_eq(steps(1, NULL), "3 2-3 0,2-3 0,2-3,5");
    ck_assert_str_eq(steps(2, NULL), "5 5 5 0,2-3,5");
    drop();
}
END_TEST

/* Catches: a fast core given up for a slow one before all CPUs are allowed. */
START_TEST(slow_cores_come_last)
{
    read_synthetic("pack:1 numa:2 l3:1 core:2 pu:1");
    topology.num_kinds = 2;
    for (unsigned i = 0; i < topology.num_threads; i++)
        topology.units[i].kind = topology.units[i].cpu & 1;
    lay_out(NULL, 4);
    ck_assert_str_eq(steps(0, NULL), "0 0 0 0-3");
    ck_assert_str_eq(steps(1, NULL), "1 0-1 0-1 0-3");
    drop();
}
END_TEST

/* Catches: a worker that may leave its place under another policy; a new worker that is taken for one that is wide. */
START_TEST(only_auto_leaves_a_place)
{
    wsfj_reach_begin(&worker);
    ck_assert(!wsfj_reach_is_on());
    ck_assert_uint_eq(worker.reach.look_at, 0);
    ck_assert(!wsfj_reach_is_wide(&worker));
    read_synthetic("pack:1 core:2 pu:1");
    lay_out(NULL, 2);
    worker.id = 1;
    wsfj_reach_begin(&worker);
    ck_assert(wsfj_reach_is_on());
    ck_assert_uint_gt(worker.reach.look_at, 0);
    ck_assert(!wsfj_reach_name(&worker));
    worker.reach.step = WSFJ_REACH_OTHERS;
    ck_assert(wsfj_reach_is_wide(&worker));
    ck_assert_str_eq(wsfj_reach_name(&worker), "CPUs that others have set");
    drop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("reach");

    if (!wsfj_topology_imagines) {
        puts("reach: this library is built without hwloc");
        return EXIT_SKIPPED;
    }
    tcase_add_test(tcase, cache_then_node_then_all);
    tcase_add_test(tcase, places_bound_all_steps);
    tcase_add_test(tcase, slow_cores_come_last);
    tcase_add_test(tcase, only_auto_leaves_a_place);
    return run_case("reach", tcase);
}
