/* SPDX-License-Identifier: MIT */
/* Uneven loops on oneTBB, with the automatic partitioner. */
#include "loops.h"

#include <stdlib.h>
#include <string.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

template <typename Each> static void loop(long n, Each each)
{
    tbb::parallel_for(
        tbb::blocked_range<long>(0, n),
        [=](const tbb::blocked_range<long> &part) {
            for (long i = part.begin(); i < part.end(); i++)
                each(i);
        },
        tbb::auto_partitioner());
}

static void run_triangular(long n)
{
    loop(n, [](long i) { loop_steps((uint32_t)i); });
}
static void run_pareto(long n)
{
    const uint32_t *cost = loop_cost;

    loop(n, [=](long i) { loop_steps(cost[i]); });
}
static void run_few(long n)
{
    loop(n, [](long i) { loop_steps(LOOP_FEW_STEPS(i)); });
}
static void run_half(long n)
{
    loop(n, [=](long i) { loop_steps(LOOP_HALF_STEPS(i, n)); });
}

extern const struct loop loops[] = {{"triangular", run_triangular},
                                    {"pareto", run_pareto},
                                    {"few", run_few},
                                    {"half", run_half},
                                    {nullptr, nullptr}};

int loops_at(const char *place, void (*f)(void *), void *argument)
{
    const char *threads = getenv("OMP_NUM_THREADS"); /* one name for all programs that are no libwsfj */
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads ? (size_t)atoi(threads) : 2);

    if (strcmp(place, "main") != 0)
        return -1;
    f(argument);
    return 0;
}
