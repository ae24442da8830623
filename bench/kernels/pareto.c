/* SPDX-License-Identifier: MIT */
/*
 * pareto: iterations whose costs follow a Pareto distribution with exponent 1.2: most are short, a few are thousands of
 * times as long, and nobody knows where. Iteration i makes cost[i] steps of a congruential generator.
 */
#include "common.h"
#include "harness/kernel.h"

#include <math.h>

#define EXPONENT 1.2
#define SHORTEST 30

/* Knuth's MMIX. */
#define FACTOR UINT64_C(6364136223846793005)
#define SUMMAND UINT64_C(1442695040888963407)

static WS_LOOP(walk, long, i, const uint32_t *, cost, uint64_t *, end)
{
    uint64_t x = (uint64_t)i;

    for (uint32_t k = cost[i]; k > 0; k--) {
        x = x * FACTOR + SUMMAND;
        __asm__ volatile("" : "+r"(x)); /* clang would make four steps at once */
    }
    end[i] = x;
}

struct pareto_data {
    long n;
    uint32_t *cost;
    uint64_t *end;
};

static void release(void *data)
{
    struct pareto_data *d = (struct pareto_data *)data;

    free(d->cost);
    free(d->end);
    free(d);
}

static void *prepare(long size)
{
    struct pareto_data *d = (struct pareto_data *)calloc(1, sizeof *d);
    uint64_t seed = 1;

    if (!d)
        return NULL;
    d->n = size;
    d->cost = (uint32_t *)malloc((size_t)size * sizeof(uint32_t));
    d->end = (uint64_t *)malloc((size_t)size * sizeof(uint64_t));
    if (!d->cost || !d->end) {
        release(d);
        return NULL;
    }
    for (long i = 0; i < size; i++) {
        double u = ((double)(kernel_random(&seed) >> 11) + 0.5) * 0x1p-53;
        double steps = SHORTEST * pow(u, -1 / EXPONENT);

        d->cost[i] = (uint32_t)fmin(steps, 1e9);
    }
    return d;
}

static void reset(void *data)
{
    struct pareto_data *d = (struct pareto_data *)data;

    memset(d->end, 0, (size_t)d->n * sizeof(uint64_t));
}

static int run(void *data)
{
    struct pareto_data *d = (struct pareto_data *)data;

    return ws_for(walk, 0, d->n, d->cost, d->end);
}

/* k steps at once, by repeated squaring of one step (Brown 1994). */
static uint64_t jump(uint64_t x, uint32_t k)
{
    uint64_t factor = FACTOR, summand = SUMMAND;

    for (; k > 0; k >>= 1) {
        if (k & 1)
            x = x * factor + summand;
        summand = summand * factor + summand;
        factor *= factor;
    }
    return x;
}

static int check(void *data)
{
    struct pareto_data *d = (struct pareto_data *)data;

    for (long i = 0; i < d->n; i++) {
        if (d->end[i] != jump((uint64_t)i, d->cost[i]))
            return 0;
    }
    return 1;
}

static double result(void *data)
{
    struct pareto_data *d = (struct pareto_data *)data;
    uint64_t sum = 0;

    for (long i = 0; i < d->n; i++)
        sum = sum * 31 + d->end[i];
    return (double)(sum >> 11);
}

KERNEL(pareto) = {"pareto",  "iterations of very different lengths; size: iterations",
                  2000000,   10000,
                  100000000, prepare,
                  reset,     run,
                  check,     result,
                  release};
