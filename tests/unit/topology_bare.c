/* SPDX-License-Identifier: MIT */
/* A library without hwloc: lib/machine/topology_bare.c, in the place of topology_hwloc.c. */
#include "../support/process.h"

#include "machine/topology.h"

#include <stdlib.h>

static struct wsfj_topology topology;

static int read_others(long unused)
{
    (void)unused;
    return wsfj_topology_read(&topology, WSFJ_MACHINE_SYNTHETIC, "pack:2 core:2 pu:2") ||
           wsfj_topology_read(&topology, WSFJ_MACHINE_XML, "/nonexistent/machine.xml") || topology.units ||
           wsfj_topology_imagines;
}

/* Catches: a machine made from a description that was never read. wsfj-info says why. */
START_TEST(other_machines_are_refused)
{
    struct outcome o = in_child(read_others, 0);

    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, "");
}
END_TEST

static int read_this(long unused)
{
    (void)unused;
    setenv("HWLOC_XMLFILE", "/nonexistent/machine.xml", 1);
    if (!wsfj_topology_read(&topology, WSFJ_MACHINE_THIS, NULL))
        return 1;
    return topology.can_bind ? 0 : 2;
}

/* Catches: a variable that is ignored without a word, or that costs the program its machine. */
START_TEST(a_variable_costs_one_line)
{
    struct outcome o = in_child(read_this, 0);

    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, "libwsfj: HWLOC_XMLFILE is ignored: this library is built without hwloc\n");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("topology_bare");

    unsetenv("HWLOC_SYNTHETIC");
    tcase_add_test(tcase, other_machines_are_refused);
    tcase_add_test(tcase, a_variable_costs_one_line);
    return run_case("topology_bare", tcase);
}
