/* SPDX-License-Identifier: MIT */
/* Machines that are not at hand, with what the library must find on them. */
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
    void (*change)(hwloc_topology_t topology); /* for changes that no description can express; goes through an XML file */
    unsigned count[WSFJ_LEVELS], threads, kinds;
    const char *cpus;                /* processors of the first workers, with one worker for each unit */
    unsigned tiers[WSFJ_TIER_COUNT]; /* number of the others at each distance from worker 0 */
    const char *victims;             /* processors of its first victims, in the order of `near` */
};

extern const struct machine machines[MACHINES];

/* Reads a machine of the table. */
void read_machine(const struct machine *machine, struct wsfj_topology *topology);

/* Writes the machine to a file that hwloc can read, and its name into `name` (of 32 bytes). `edit` (or NULL) may first
 * shorten the text. */
void export_machine(const struct machine *machine, void (*edit)(char *text), char *name);

#endif
