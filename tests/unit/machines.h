/* SPDX-License-Identifier: MIT */
/* Machines that nobody here has, with what the library must make of them. */
#ifndef TESTS_UNIT_MACHINES_H
#define TESTS_UNIT_MACHINES_H

#include "machine/tier.h"
#include "machine/topology.h"

#include <hwloc.h>

#define MACHINES 35
#define UNITS_MOST 1024

struct machine {
    const char *name;
    const char *synthetic;                     /* hwloc's description */
    void (*change)(hwloc_topology_t topology); /* what no description can say; it then goes through an XML file */
    unsigned count[WSFJ_LEVELS], threads, kinds;
    const char *cpus;                /* processors of the first workers, of as many workers as there are units */
    unsigned tiers[WSFJ_TIER_COUNT]; /* how many of the others are how far from worker 0 */
    const char *victims;             /* processors of its first victims, in the order of `near` */
};

extern const struct machine machines[MACHINES];

/* Reads a machine of the table. */
void read_machine(const struct machine *machine, struct wsfj_topology *topology);

/* Writes it to a file that hwloc can read, whose name is put into `name` (of 32 bytes). `edit` (or NULL) may shorten its
 * text first. */
void export_machine(const struct machine *machine, void (*edit)(char *text), char *name);

#endif
