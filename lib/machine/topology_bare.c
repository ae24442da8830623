/* SPDX-License-Identifier: MIT */
/* In place of topology_hwloc.c, in a library without hwloc: no machine can be described. Contract: topology.h. */
#include "machine/topology.h"

#include "base/debug.h"

const bool wsfj_topology_imagines = false;

/* A user who sets the variable expects an effect. */
bool wsfj_topology_list_described(struct wsfj_topology *t, enum wsfj_machine which, const char *text,
                                  const struct wsfj_affinity *mask)
{
    (void)t;
    (void)text;
    (void)mask;
    if (which == WSFJ_MACHINE_THIS)
        wsfj_say("%s is ignored: this library is built without hwloc", wsfj_topology_variable());
    return true;
}
