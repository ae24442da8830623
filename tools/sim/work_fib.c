/* SPDX-License-Identifier: MIT */
/* fib: a binary tree that is a little lopsided; all work is in its leaves. */
#include <wsfj/sim.h>

#include "fail.h"
#include "options.h"
#include "work.h"
#include "workloads.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t leaf = 10000;

WS_TASK(uint64_t, fib, unsigned, n)
{
    uint64_t x, y;

    if (n < 2) {
        sim_work(leaf);
        return n;
    }
    sim_facts.tasks++;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

int sim_workload_fib(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)sim_option_number("fib", argv[1], 0, 60) : 20;
    uint64_t result;
    int error;

    if (argc > 2)
        leaf = sim_option_number("fib", argv[2], 0, UINT64_C(1000000000000));
    if (!work_start())
        return 1;
    sim_facts.tasks = 1;
    sim_facts.span = (double)leaf;
    sim_facts.depth = n + 1;
    work_begin("fib");
    error = ws_run(fib, &result, n);
    sim_facts.ended = sim_time();
    printf("fib(%u) = %" PRIu64 " in %" PRIu64 " ns with %zu worker%s\n", n, result, sim_facts.ended - sim_facts.began,
           ws_num_workers(), SIM_S(ws_num_workers()));
    work_check();
    return error;
}
