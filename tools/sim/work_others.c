/* SPDX-License-Identifier: MIT */
/* Loops, floods of detached tasks, and tasks that block. */
#include <wsfj/sim.h>

#include "check.h"
#include "fail.h"
#include "options.h"
#include "work.h"
#include "workloads.h"

#include <stdio.h>
#include <stdlib.h>

#define ITERATIONS_MOST 1000000000

static uint64_t length, sleep_length, num_done, iterations;
static uint64_t left;

static uint64_t iteration(uint64_t i)
{
    return length * 2 * i / iterations; /* uneven: from 0 to twice the mean */
}

static WS_LOOP(even, uint64_t, i)
{
    (void)i;
    num_done++;
    sim_work(length);
}

static WS_LOOP(uneven, uint64_t, i)
{
    num_done++;
    sim_work(iteration(i));
}

static WS_TASK(int, in_a_row, uint64_t, loops)
{
    int error = 0;

    while (loops-- && !error)
        error = ws_for(even, 0, iterations);
    return error;
}

int sim_workload_row(int argc, char **argv)
{
    uint64_t loops = work_number(argc, argv, 1, 200, 1, 1000000);
    int error, result = 0;

    work_most(argc, argv, 3);
    iterations = work_number(argc, argv, 2, 4000, 1, 1000000);
    length = work_number(argc, argv, 3, 100, 0, 1000000000);
    if (!work_start())
        return 1;
    sim_facts.tasks = 1;
    sim_facts.span = (double)(loops * length);
    sim_facts.depth = 64;
    work_begin("row");
    error = ws_run(in_a_row, &result, loops);
    work_end();
    sim_check(num_done == loops * iterations, "%llu iterations were done, not %llu", (unsigned long long)num_done,
              (unsigned long long)(loops * iterations));
    return error ? error : result;
}

static int run_loop(int argc, char **argv, bool is_even)
{
    int error;

    work_most(argc, argv, 2);
    iterations = work_number(argc, argv, 1, 10000, 1, ITERATIONS_MOST);
    length = work_number(argc, argv, 2, 1000, 0, 1000000000);
    if (!work_start())
        return 1;
    sim_facts.tasks = 1;
    sim_facts.span = (double)(is_even ? length : iteration(iterations - 1));
    sim_facts.depth = 64;
    work_begin(is_even ? "loop" : "uneven-loop");
    error = is_even ? ws_run(even, 0, iterations) : ws_run(uneven, 0, iterations);
    work_end();
    sim_check(num_done == iterations, "%llu iterations were done, not %llu", (unsigned long long)num_done,
              (unsigned long long)iterations);
    return error;
}

int sim_workload_loop(int argc, char **argv)
{
    return run_loop(argc, argv, true);
}

int sim_workload_uneven_loop(int argc, char **argv)
{
    return run_loop(argc, argv, false);
}

static void drop(void *runs)
{
    sim_check(++*(unsigned char *)runs == 1, "a task runs twice");
    sim_work(length);
    work_done(&left);
}

static WS_TASK(int, pour, unsigned char *, runs, uint64_t, n)
{
    for (uint64_t i = 0; i < n; i++) {
        int error = ws_submit(drop, &runs[i]);

        if (error)
            return error;
    }
    return 0;
}

int sim_workload_flood(int argc, char **argv)
{
    uint64_t n = work_number(argc, argv, 1, 10000, 1, 100000000);
    unsigned char *runs = sim_new(n, 1);
    int error, result = 0;

    work_most(argc, argv, 2);
    length = work_number(argc, argv, 2, 1000, 0, 1000000000);
    if (!work_start())
        return 1;
    sim_facts.tasks = n + 1;
    sim_facts.span = (double)length;
    work_begin("flood");
    left = n;
    error = ws_run(pour, &result, runs, n);
    work_wait(&left);
    work_end();
    return error ? error : result;
}

static void block(void *runs)
{
    sim_check(++*(unsigned char *)runs == 1, "a task runs twice");
    sim_work(length / 2);
    WS_BLOCKING
    {
        sim_sleep(sleep_length);
    }
    sim_work(length - length / 2);
    sim_facts.blocked += sleep_length;
    work_done(&left);
}

static WS_TASK(int, open_all, unsigned char *, runs, uint64_t, n)
{
    for (uint64_t i = 0; i < n; i++) {
        int error = ws_submit(block, &runs[i]);

        if (error)
            return error;
    }
    return 0;
}

int sim_workload_blocking(int argc, char **argv)
{
    uint64_t n = work_number(argc, argv, 1, 1000, 1, 10000000);
    unsigned char *runs = sim_new(n, 1);
    int error, result = 0;

    work_most(argc, argv, 3);
    length = work_number(argc, argv, 2, 10000, 0, 1000000000);
    sleep_length = work_number(argc, argv, 3, 100000, 0, 1000000000);
    if (!work_start())
        return 1;
    sim_facts.tasks = n + 1;
    sim_facts.span = (double)(length + sleep_length);
    work_begin("blocking");
    left = n;
    error = ws_run(open_all, &result, runs, n);
    work_wait(&left);
    work_end();
    return error ? error : result;
}
