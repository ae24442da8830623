/* SPDX-License-Identifier: MIT */
/* The cost of a spawn and its sync without steals: one worker, and a loop around an empty task. */
#include "micro.h"

#include <wsfj.h>

#define ITERATIONS 100000L

static WS_TASK(long, leaf, long, n)
{
    __asm__ volatile("" : "+r"(n)); /* a call that must be made, as in the kernels */
    return n;
}

static WS_TASK(long, calls, long, n)
{
    long sum = 0;

    for (long i = 0; i < n; i++)
        sum += ws_call(leaf, i);
    return sum;
}

static WS_TASK(long, spawns, long, n)
{
    long sum = 0;

    for (long i = 0; i < n; i++) {
        long x;

        ws_spawn(leaf, &x, i);
        ws_sync();
        sum += x;
    }
    return sum;
}

/* Nanoseconds for each iteration with calls, and how much more it takes with spawns. */
static WS_TASK(int, measure, double *, each, double *, more, size_t, n)
{
    long sum = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t start = sample_now(), middle;

        sum += ws_call(calls, ITERATIONS);
        middle = sample_now();
        sum -= ws_call(spawns, ITERATIONS);

        double call = (double)(middle - start) / ITERATIONS, spawn = (double)(sample_now() - middle) / ITERATIONS;

        if (each)
            each[i] = call;
        if (more)
            more[i] = spawn - call;
    }
    return sum == 0;
}

static enum micro_end run(double *each, double *more, size_t n, const char **why)
{
    int is_right = 0;

    *why = micro_start(1, WS_SPIN_DEFAULT);
    if (*why)
        return MICRO_FAILED;
    if (ws_run(measure, &is_right, each, more, n) == 0 && is_right)
        return MICRO_DONE;
    *why = "wrong result";
    return MICRO_FAILED;
}

enum micro_end micro_call(double *values, size_t n, const char **why)
{
    return run(values, NULL, n, why);
}

enum micro_end micro_spawn(double *values, size_t n, const char **why)
{
    return run(NULL, values, n, why);
}
