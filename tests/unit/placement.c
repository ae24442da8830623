/* SPDX-License-Identifier: MIT */
/* Places, and the place of each worker: lib/machine/placement.h. */
#include "machine/placement.h"
#include "machine/tier.h"

#include "machines.h"

#include "../support/heard.h"
#include "../support/resources.h"
#include "../support/sanitizer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wsfj_topology topology;
static struct wsfj_placement layout;

static void read_synthetic(const char *text)
{
    ck_assert(wsfj_topology_read(&topology, WSFJ_MACHINE_SYNTHETIC, text));
}

/* Places as in WSFJ_PLACES; NULL: unset. */
static void lay_out(const char *text, enum ws_bind bind)
{
    struct wsfj_places places = {.what = WSFJ_PLACES_UNSET};

    ck_assert(!text || wsfj_places_parse(text, &places));
    ck_assert(wsfj_placement_places(&layout, &topology, &places, bind));
    wsfj_places_free(&places);
}

static void drop(void)
{
    wsfj_placement_free(&layout);
    wsfj_topology_free(&topology);
}

/* Each worker's processors, as "0,1 2,3". */
static const char *whereabouts(unsigned n)
{
    static char text[4096];
    size_t used = 0;

    ck_assert(wsfj_placement_workers(&layout, &topology, n));
    text[0] = '\0';
    for (unsigned i = 0; i < n; i++) {
        unsigned size;
        const unsigned *units = wsfj_placement_units(&layout, i, &size);

        for (unsigned j = 0; j < size; j++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u",
                                     j   ? ","
                                     : i ? " "
                                         : "",
                                     topology.units[units[j]].cpu);
    }
    return text;
}

/* Catches: two workers on one unit while there are enough units; an index beyond the list. */
START_TEST(workers_get_units_of_their_own_while_there_are_enough)
{
    static const enum ws_bind binds[] = {WS_BIND_CLOSE, WS_BIND_SPREAD, WS_BIND_NONE};

    for (unsigned b = 0; b < 3; b++) {
        read_machine(&machines[_i], &topology);
        for (unsigned n = 1; n <= topology.num_threads + 3; n += n < 40 ? 1 : 137) {
            unsigned char seen[UNITS_MOST] = {0};

            lay_out(NULL, binds[b]);
            ck_assert(wsfj_placement_workers(&layout, &topology, n));
            for (unsigned i = 0; i < n; i++) {
                ck_assert_uint_lt(layout.unit[i], topology.num_threads);
                ck_assert_uint_lt(layout.place[i], layout.places);
                seen[layout.unit[i]]++;
                ck_assert(seen[layout.unit[i]] == 1 || n > topology.num_threads);
            }
            wsfj_placement_free(&layout);
        }
        drop();
    }
}
END_TEST

/* The default, and places by name, on 2 packages x 2 caches x 2 cores x 2 siblings: processors 0 to 15. */
static const struct {
    const char *places;
    enum ws_bind bind;
    unsigned workers;
    const char *where;
} names[] = {
    {NULL, WS_BIND_CLOSE, 3, "0 2 4"},
    {NULL, WS_BIND_CLOSE, 10, "0 2 4 6 8 10 12 14 1 3"},
    {NULL, WS_BIND_SPREAD, 2, "0 8"},
    {NULL, WS_BIND_SPREAD, 4, "0 4 8 12"},
    {NULL, WS_BIND_SPREAD, 10, "0 2 4 6 8 10 12 14 1 3"},
    {NULL, WS_BIND_PRIMARY, 2, "0 0"},
    {"threads", WS_BIND_CLOSE, 4, "0 1 2 3"},
    {"threads(3)", WS_BIND_CLOSE, 4, "0 0 1 2"},
    {"threads", WS_BIND_SPREAD, 4, "0 4 8 12"},
    {"cores", WS_BIND_CLOSE, 3, "0,1 2,3 4,5"},
    {"cores", WS_BIND_SPREAD, 2, "0,1 8,9"},
    {"cores(2)", WS_BIND_CLOSE, 4, "0,1 0,1 2,3 2,3"},
    {"cores(100)", WS_BIND_CLOSE, 2, "0,1 2,3"},
    {"ll_caches", WS_BIND_CLOSE, 2, "0,2,1,3 4,6,5,7"},
    {"numa_domains", WS_BIND_CLOSE, 1, "0,2,4,6,8,10,12,14,1,3,5,7,9,11,13,15"},
    {"sockets", WS_BIND_CLOSE, 2, "0,2,4,6,1,3,5,7 8,10,12,14,9,11,13,15"},
    {"sockets(1)", WS_BIND_SPREAD, 2, "0,2,4,6,1,3,5,7 0,2,4,6,1,3,5,7"},
    {"sockets", WS_BIND_PRIMARY, 2, "0,2,4,6,1,3,5,7 0,2,4,6,1,3,5,7"},
    {"{8:2},{0:2},{4}", WS_BIND_CLOSE, 3, "8,9 0,1 4"},
    {"{8:2},{0:2},{4}", WS_BIND_SPREAD, 2, "8,9 0,1"},
    {"{0,1,99},{99},{3}", WS_BIND_CLOSE, 2, "0,1 3"},
    {"{0}:4:4", WS_BIND_CLOSE, 8, "0 0 4 4 8 8 12 12"},
};
#define NAMES ((int)(sizeof names / sizeof *names))

/* Catches: a level confused with another; siblings apart; "(n)" ignored; consecutive workers in distant places; close
 * and spread confused; binding to a processor that does not exist. */
START_TEST(places_and_policies_decide_who_goes_where)
{
    const char *where;

    read_synthetic("pack:2 l3:2 core:2 pu:2");
    lay_out(names[_i].places, names[_i].bind);
    where = whereabouts(names[_i].workers);
    ck_assert_msg(strcmp(where, names[_i].where) == 0, "%s: %s", names[_i].places, where);
    drop();
}
END_TEST

/* Catches: slow cores used while fast ones are idle, by any policy. Processors 0-15 are fast, 16-30 slow. */
START_TEST(fast_cores_come_first)
{
    const struct machine *hybrid = machines;

    while (strcmp(hybrid->name, "hybrid") != 0)
        hybrid++;
    read_machine(hybrid, &topology);
    lay_out(NULL, WS_BIND_SPREAD);
    ck_assert_str_eq(whereabouts(4), "0 4 8 12");
    wsfj_placement_free(&layout);
    lay_out(NULL, WS_BIND_SPREAD);
    ck_assert_str_eq(whereabouts(8), "0 2 4 6 8 10 12 14"); /* all fast ones, and none besides */
    wsfj_placement_free(&layout);
    lay_out(NULL, WS_BIND_SPREAD);
    ck_assert_str_eq(whereabouts(10), "0 2 6 8 12 16 18 22 24 28");
    wsfj_placement_free(&layout);
    lay_out("threads", WS_BIND_CLOSE);
    ck_assert_str_eq(whereabouts(4), "0 1 2 3");
    drop();

    while (strcmp(hybrid->name, "three kinds") != 0)
        hybrid++;
    read_machine(hybrid, &topology);
    lay_out("threads", WS_BIND_CLOSE);
    ck_assert_str_eq(whereabouts(8), "7 4 5 6 0 1 2 3");
    drop();
}
END_TEST

static unsigned room(const char *places, enum ws_bind bind, bool cores)
{
    unsigned n;

    lay_out(places, bind);
    n = wsfj_placement_room(&layout, &topology, cores);
    wsfj_placement_free(&layout);
    return n;
}

/* Catches: more workers by default than the places have processors; a processor counted twice where places overlap. */
START_TEST(by_default_there_is_a_worker_for_each_processor_of_the_places)
{
    read_synthetic("pack:2 l3:2 core:2 pu:2");
    ck_assert_uint_eq(room(NULL, WS_BIND_CLOSE, false), 16);
    ck_assert_uint_eq(room(NULL, WS_BIND_CLOSE, true), 8);
    ck_assert_uint_eq(room("{0:4}", WS_BIND_CLOSE, false), 4);
    ck_assert_uint_eq(room("{0:4}", WS_BIND_CLOSE, true), 2);
    ck_assert_uint_eq(room("{0:4},{2:4}", WS_BIND_CLOSE, false), 6);
    ck_assert_uint_eq(room("{1},{3}", WS_BIND_CLOSE, true), 2);
    ck_assert_uint_eq(room("sockets(1)", WS_BIND_SPREAD, false), 8);
    ck_assert_uint_eq(room("sockets", WS_BIND_PRIMARY, false), 8);
    ck_assert_uint_eq(room("{0:4}", WS_BIND_NONE, false), 16);
    ck_assert_uint_eq(room("{99}", WS_BIND_CLOSE, false), 16);
    wsfj_topology_free(&topology);
}
END_TEST

/* Catches: unusable places that are not reported; a worker with an unusable place. */
START_TEST(places_without_processors_are_left_out_and_counted)
{
    read_synthetic("core:4 pu:1");
    lay_out("{4},{0},{5,6},{1}", WS_BIND_CLOSE);
    ck_assert_uint_eq(layout.places, 2);
    ck_assert_uint_eq(layout.lost, 2);
    ck_assert(layout.chosen);
    wsfj_placement_free(&layout);
    lay_out("{4},{5}", WS_BIND_CLOSE);
    ck_assert_uint_eq(layout.places, 4);
    ck_assert_uint_eq(layout.lost, 2);
    ck_assert(!layout.chosen);
    drop();
}
END_TEST

/* Catches: distances used between workers that the kernel may move; a binding that keeps the kernel from balancing more
 * workers than there are processors; binding on a machine that is not this one. */
START_TEST(distances_and_nodes_count_only_while_workers_stay)
{
    read_synthetic("pack:2 numa:2 core:2 pu:1");
    lay_out(NULL, WS_BIND_CLOSE);
    ck_assert(wsfj_placement_workers(&layout, &topology, 8));
    ck_assert(layout.settled && !layout.bound);
    ck_assert_int_eq(wsfj_placement_tier(&layout, &topology, 0, 1), WSFJ_TIER_NUMA);
    ck_assert_uint_eq(wsfj_placement_node(&layout, &topology, 7), 3);
    wsfj_placement_free(&layout);

    for (int i = 0; i < 2; i++) {
        lay_out(NULL, i ? WS_BIND_CLOSE : WS_BIND_NONE);
        ck_assert(wsfj_placement_workers(&layout, &topology, i ? 9 : 8));
        ck_assert(!layout.settled && !layout.bound);
        ck_assert_int_eq(wsfj_placement_tier(&layout, &topology, 0, 1), WSFJ_TIER_MACHINE);
        ck_assert_uint_eq(wsfj_placement_node(&layout, &topology, 7), 0);
        wsfj_placement_free(&layout);
    }
    topology.can_bind = true;
    lay_out("cores", WS_BIND_CLOSE);
    ck_assert(wsfj_placement_workers(&layout, &topology, 20));
    ck_assert(layout.settled && layout.bound);
    drop();
}
END_TEST

/* Catches: all workers of a place taken for siblings of each other; siblings not recognised. */
START_TEST(workers_that_share_a_place_stand_for_units_of_their_own)
{
    read_synthetic("pack:2 l3:2 core:2 pu:2");
    lay_out("sockets", WS_BIND_CLOSE);
    ck_assert(wsfj_placement_workers(&layout, &topology, 16));
    for (unsigned a = 0; a < 16; a++)
        for (unsigned b = 0; b < a; b++)
            ck_assert_uint_ne(layout.unit[a], layout.unit[b]);
    ck_assert_int_eq(wsfj_placement_tier(&layout, &topology, 0, 1), WSFJ_TIER_CACHE);
    ck_assert_int_eq(wsfj_placement_tier(&layout, &topology, 0, 2), WSFJ_TIER_NUMA);
    ck_assert_int_eq(wsfj_placement_tier(&layout, &topology, 0, 4), WSFJ_TIER_CORE);
    ck_assert_int_eq(wsfj_placement_tier(&layout, &topology, 0, 8), WSFJ_TIER_MACHINE);
    drop();
}
END_TEST

/* Catches: a limit that holds for a number in the setting, but not for a number derived from the machine. */
START_TEST(a_large_machine_has_no_more_workers_than_the_most)
{
    read_synthetic("node:4 core:1025 pu:2");
    lay_out(NULL, WS_BIND_CLOSE);
    listen_begin();
    ck_assert_uint_eq(wsfj_placement_wanted(&layout, &topology, WSFJ_WORKERS_THREADS), WSFJ_WORKERS_MOST);
    ck_assert(hear_until("libwsfj: WSFJ_NUM_WORKERS=threads: this machine has room for 8200 workers, the limit is 4096; "
                         "using 4096\n"));
    hear_nothing();
    ck_assert_uint_eq(wsfj_placement_wanted(&layout, &topology, WSFJ_WORKERS_CORES), WSFJ_WORKERS_MOST);
    ck_assert(hear_until("WSFJ_NUM_WORKERS=cores: this machine has room for 4100 workers"));
    listen_end();
    drop();

    read_synthetic("node:4 core:1024 pu:2");
    lay_out(NULL, WS_BIND_CLOSE);
    listen_begin();
    ck_assert_uint_eq(wsfj_placement_wanted(&layout, &topology, WSFJ_WORKERS_CORES), WSFJ_WORKERS_MOST);
    ck_assert_uint_eq(wsfj_placement_wanted(&layout, &topology, WSFJ_WORKERS_MOST), WSFJ_WORKERS_MOST);
    listen_end();
    ck_assert_uint_eq(heard_length, 0);
    drop();
}
END_TEST

/* Catches: memory of a layout, or of an earlier attempt with more workers, that is not freed. */
START_TEST(layouts_leave_no_memory)
{
    static const char *const places[] = {NULL, "threads", "cores", "sockets(1)", "{0:4},{2:4}"};
    size_t before = 0;

    read_synthetic("pack:2 l3:2 core:2 pu:2");
    for (int i = 0; i < 50; i++) {
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            lay_out(places[p], WS_BIND_CLOSE);
            ck_assert(wsfj_placement_workers(&layout, &topology, 16));
            ck_assert(wsfj_placement_workers(&layout, &topology, 8));
            wsfj_placement_free(&layout);
        }
        before = i ? before : allocated(); /* with what the C library keeps for itself */
    }
    ck_assert_uint_le(allocated(), before + 500);
    drop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("layout");

    tcase_add_loop_test(tcase, workers_get_units_of_their_own_while_there_are_enough, 0, MACHINES);
    tcase_add_loop_test(tcase, places_and_policies_decide_who_goes_where, 0, NAMES);
    tcase_add_test(tcase, fast_cores_come_first);
    tcase_add_test(tcase, by_default_there_is_a_worker_for_each_processor_of_the_places);
    tcase_add_test(tcase, places_without_processors_are_left_out_and_counted);
    tcase_add_test(tcase, distances_and_nodes_count_only_while_workers_stay);
    tcase_add_test(tcase, workers_that_share_a_place_stand_for_units_of_their_own);
    ADD_TEST_UNLESS(SANITIZED ? "it has an allocator of its own" : NULL, tcase, layouts_leave_no_memory);
    tcase_add_test(tcase, a_large_machine_has_no_more_workers_than_the_most);
    return run_case("layout", tcase);
}
