/* SPDX-License-Identifier: MIT */
/*
 * The machine as plain arrays. The only file that includes hwloc is topology.c.
 */
#ifndef WSFJ_TOPOLOGY_H
#define WSFJ_TOPOLOGY_H

#include "base.h"
#include "victim.h"

struct wsfj_topology {
    unsigned num_threads; /* processing units this process may use */
    unsigned num_cores;   /* cores with at least one of them */
    /* In binding order "close": one unit of each core first, cores in the machine's order, then the siblings. */
    unsigned *cpu;   /* operating system numbers */
    unsigned *place; /* each unit's path: package, numa node, last cache, core */
    bool can_bind;   /* this is the machine we run on */
};

/* Reads the machine; without hwloc's help (it may fail) a flat list of the CPUs in the affinity mask. False if there is
 * no memory. */
bool wsfj_topology_read(struct wsfj_topology *topology);
void wsfj_topology_free(struct wsfj_topology *topology);

/* The index into `cpu` for worker `i` of `n`. */
unsigned wsfj_topology_unit(const struct wsfj_topology *topology, enum ws_bind bind, unsigned i, unsigned n);

/* The innermost thing that two units share. */
enum wsfj_tier wsfj_topology_tier(const struct wsfj_topology *topology, unsigned a, unsigned b);

#endif
