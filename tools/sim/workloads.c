/* SPDX-License-Identifier: MIT */
#include "workloads.h"

const struct sim_workload sim_workloads[] = {
    {"fib", "N [NS]", "the tree of Fibonacci numbers, with leaves of so many ns (10000)", sim_workload_fib},
    {NULL, NULL, NULL, NULL},
};
