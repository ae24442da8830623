/* SPDX-License-Identifier: MIT */
/* The virtual machine: its processors, as the library's own reader of machines sees them, and their distances. */
#ifndef TOOLS_SIM_MACHINE_H
#define TOOLS_SIM_MACHINE_H

#include "machine/tier.h"

#include <stddef.h>
#include <stdint.h>

/*
 * `text`: "this"; hwloc's synthetic description ("pack:2 core:32 pu:1"); or the name of an XML file that hwloc has
 * exported. NULL: as many cores as there are workers, all equally near. Ends the program with one line if hwloc does not
 * accept it. Starts the CPUs (cpu.h).
 */
void sim_machine_start(const char *text, unsigned workers);

/* How far two CPUs are from each other. */
enum wsfj_tier sim_machine_tier(unsigned cpu, unsigned other);

/* A file of /proc or /sys that the library reads: its text in `text`, and its length. -1: there is no such file. */
int sim_machine_file(const char *path, char *text, size_t room);

#endif
