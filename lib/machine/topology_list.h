/* SPDX-License-Identifier: MIT */
/* The seam below topology.c: who lists a machine's units. topology_hwloc.c is the only file that includes hwloc;
 * topology_sys.c takes its place in a library without. */
#ifndef WSFJ_TOPOLOGY_LIST_H
#define WSFJ_TOPOLOGY_LIST_H

#include "machine/affinity.h"
#include "machine/topology.h"

/* The name of what a unit is not in. */
#define WSFJ_NOWHERE UINT32_MAX

/* Prime, big and little, or performance, efficient and low power: more kinds than this are favoured cores of one kind,
 * which differ in turbo frequency, and not worth tearing neighbours apart. */
#define WSFJ_KINDS_MOST 4

/* Lists the units in the machine's order: `cpu`, `kind`, and any names in `in`; sets num_threads, num_kinds, can_bind.
 * With the machine we run on only those of the mask; NULL: all. No units if the machine or the description cannot be
 * read; false if there is no memory. */
bool wsfj_topology_list(struct wsfj_topology *topology, enum wsfj_machine machine, const char *text,
                        const struct wsfj_affinity *mask);

/* What wsfj_topology_read() does, for a given mask; without a set: the kernel does not tell. */
bool wsfj_topology_make(struct wsfj_topology *topology, enum wsfj_machine machine, const char *text,
                        const struct wsfj_affinity *mask);

/* topology_sys.c only: the directory that it takes for /. */
extern const char *wsfj_topology_root;

/* Makes room for `n` units. False if there is no memory. */
bool wsfj_topology_allocate(struct wsfj_topology *topology, unsigned n);

#endif
