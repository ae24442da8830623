/* SPDX-License-Identifier: MIT */
#include "workloads.h"

const struct sim_workload sim_workloads[] = {
    {"fib", "N [NS]", "the tree of Fibonacci numbers, with leaves of so many ns (10000)", sim_workload_fib},
    {"independent", "[N [MEAN [SHAPE]]]", "N tasks (20), each given to a random worker", sim_workload_independent},
    {"one-worker", "[N [MEAN [SHAPE]]]", "N tasks (20), all given to worker 0", sim_workload_one_worker},
    {"bursts", "[N [MEAN [SHAPE [AT]]]]", "half of N tasks (20) to worker 0, the rest to worker 1 at AT (5)",
     sim_workload_bursts},
    {"generator", "[N [MEAN [SHAPE [EACH]]]]", "a task that submits N tasks (20), one each 0.5", sim_workload_generator},
    {"spawning", "[N [MEAN [SHAPE [P]]]]", "as independent; half way a task submits 1 to 3 more, with P (0.3)",
     sim_workload_spawning},
    {"waiting", "[N [MEAN [SHAPE [P]]]]", "as independent; half way a task waits for 1 to 3 children, with P (0.4)",
     sim_workload_waiting},
    {NULL, NULL, NULL, NULL},
};
