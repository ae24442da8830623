/* SPDX-License-Identifier: MIT */
#include "workloads.h"

const struct sim_workload sim_workloads[] = {
    {"fib", "N [NS]", "the tree of Fibonacci numbers, with leaves of so many ns (10000)", sim_workload_fib},
    {"mergesort", "[N [GRAIN [NS]]]", "N elements (1000000), merged serially, NS for each (2)", sim_workload_mergesort},
    {"nqueens", "[N [NS]]", "a task for each of the positions of up to N queens (8)", sim_workload_nqueens},
    {"uts", "[DEPTH [WIDTH [NS]]]", "an unbalanced tree: geometric, of at most DEPTH levels (10)", sim_workload_uts},
    {"uts-binomial", "[P [NS]]", "64 such trees: 4 children with P (0.249), NS each (10000)", sim_workload_uts_binomial},
    {"random", "[N [NS]]", "a random program of N tasks (1000)", sim_workload_random},
    {"loop", "[N [NS]]", "N iterations (10000) of NS each (1000)", sim_workload_loop},
    {"uneven-loop", "[N [NS]]", "the same, but from 0 to twice NS", sim_workload_uneven_loop},
    {"row", "[LOOPS [N [NS]]]",
     "a task with LOOPS such loops (200), one after the other, of N iterations (4000) of NS (100)", sim_workload_row},
    {"flood", "[N [NS]]", "a task that submits N detached tasks (10000) of NS each (1000)", sim_workload_flood},
    {"blocking", "[N [NS [SLEEP]]]", "N detached tasks (1000) that sleep half way, in a blocking section",
     sim_workload_blocking},
    {"independent", "[N [MEAN [SHAPE]]]", "N tasks (20), each given to a random worker", sim_workload_independent},
    {"one-worker", "[N [MEAN [SHAPE]]]", "N tasks (20), all given to worker 0", sim_workload_one_worker},
    {"placed", "[LIST [MEAN [SHAPE]]]", "12,1,2,0: so many tasks to worker 0, to worker 1, ...", sim_workload_placed},
    {"bursts", "[N [MEAN [SHAPE [AT]]]]", "half of N tasks (20) to worker 0, the rest to worker 1 at AT (5)",
     sim_workload_bursts},
    {"generator", "[N [MEAN [SHAPE [EACH]]]]", "a task that submits N tasks (20), one each 0.5", sim_workload_generator},
    {"spawning", "[N [MEAN [SHAPE [P]]]]", "as independent; half way a task submits 1 to 3 more, with P (0.3)",
     sim_workload_spawning},
    {"waiting", "[N [MEAN [SHAPE [P]]]]", "as independent; half way a task waits for 1 to 3 children, with P (0.4)",
     sim_workload_waiting},
    {NULL, NULL, NULL, NULL},
};
