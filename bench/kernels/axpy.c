/* SPDX-License-Identifier: MIT */
/*
 * axpy: y += a x, thousands of times over vectors that fit a near cache. Loops of some 20 us, one after the other: what
 * it costs to start and end a loop shows. After the BLAS routine of that name (Lawson, Hanson, Kincaid and Krogh 1979).
 */
#include "vectors.h"

#include "harness/kernel.h"

#define PASSES 10000

static WS_LOOP(add, long, i, double, a, const double *, x, double *, y)
{
    y[i] += a * x[i];
}

static void *prepare(long size)
{
    return kernel_vectors_prepare(size, 2);
}

static void reset(void *data)
{
    struct kernel_vectors *d = (struct kernel_vectors *)data;

    memset(d->v[1], 0, (size_t)d->n * sizeof(double));
}

static int run(void *data)
{
    struct kernel_vectors *d = (struct kernel_vectors *)data;
    int error = 0;

    for (int pass = 0; pass < PASSES && !error; pass++)
        error = ws_for(add, 0, d->n, 0.5, d->v[0], d->v[1]);
    return error;
}

/* The numbers are small integers and a is a power of two: no sum was rounded. */
static int check(void *data)
{
    struct kernel_vectors *d = (struct kernel_vectors *)data;

    for (long i = 0; i < d->n; i++) {
        if (d->v[1][i] != 0.5 * PASSES * d->v[0][i])
            return 0;
    }
    return 1;
}

static double result(void *data)
{
    return kernel_vectors_sum((struct kernel_vectors *)data, 1);
}

KERNEL(axpy) = {"axpy",
                "10000 times y += a x in the cache; size: numbers",
                60000,
                1000,
                100000000,
                prepare,
                reset,
                run,
                check,
                result,
                kernel_vectors_release};
