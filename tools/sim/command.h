/* SPDX-License-Identifier: MIT */
/* One simulation, as the options say, in a process of its own. */
#ifndef TOOLS_SIM_COMMAND_H
#define TOOLS_SIM_COMMAND_H

#include "engine.h"

/* What is simulated; its result is the exit status. */
typedef int sim_program(int argc, char **argv);

/* Called in the child after the run, outside of virtual time, while the library's counters can still be read. */
typedef void sim_report(struct sim_totals totals);

/* Runs it in a child process. Returns its exit status; 128 + the signal that killed it, after one line. */
int sim_command(sim_program *program, int argc, char **argv, sim_report *report);

#endif
