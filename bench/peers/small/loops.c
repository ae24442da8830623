/* SPDX-License-Identifier: MIT */
/* Loops of 1000 iterations of 8 steps, one after the other. */
#include "harness/sample.h"
#include "measure.h"

#include <stdio.h>
#include <string.h>

#define ITERATIONS 1000
#define BATCHES 200
#define LOOPS 20 /* of a batch */

long small_iteration_steps = 8;

/* Adds the number of iterations to its argument. */
static void count(void *argument)
{
    static unsigned char runs[ITERATIONS];
    static const long sizes[] = {1, 2, 7, ITERATIONS};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        memset(runs, 0, sizeof runs);
        contender.loop(sizes[k], runs);
        expect_once(runs, sizes[k], "iteration");
        *(long *)argument += sizes[k];
    }
}

static void run_batches(void *argument)
{
    double *us = argument;

    for (int k = 0; k < BATCHES; k++) {
        uint64_t start = sample_now();

        for (int i = 0; i < LOOPS; i++)
            contender.loop(ITERATIONS, NULL);
        us[k] = (double)(sample_now() - start) / 1e3 / LOOPS;
    }
}

long check_loops(enum small_place place)
{
    long iterations = 0;

    return contender.loop && contender.at(place, count, &iterations) == 0 ? iterations : 0;
}

int measure_loops(enum small_place place)
{
    static double us[BATCHES];

    if (!check_loops(place) || contender.at(place, run_batches, us)) /* the first is the warm-up */
        return -1;
    (void)contender.at(place, run_batches, us);
    printf("%.3f\n", sample_of(us, BATCHES).median);
    return 0;
}
