/* SPDX-License-Identifier: MIT */
/* What wsfj-sim can run by name. workloads.c has the table; each work_*.c has one or a few of them. */
#ifndef TOOLS_SIM_WORKLOADS_H
#define TOOLS_SIM_WORKLOADS_H

#include "command.h"

struct sim_workload {
    const char *name, *arguments, *help;
    sim_program *run;
};

extern const struct sim_workload sim_workloads[]; /* the last has no name */

/* The workloads. argv[0] is the name. */
sim_program sim_workload_fib, sim_workload_independent, sim_workload_spawning, sim_workload_waiting,
    sim_workload_generator, sim_workload_bursts, sim_workload_one_worker, sim_workload_placed, sim_workload_mergesort,
    sim_workload_nqueens, sim_workload_uts, sim_workload_uts_binomial, sim_workload_random, sim_workload_loop,
    sim_workload_uneven_loop, sim_workload_row, sim_workload_flood, sim_workload_blocking;

/* A file: recorded (work_graph.c) or plain (work_dag.c). */
sim_program sim_workload_file, sim_workload_graph, sim_workload_dag;

#endif
