/* SPDX-License-Identifier: MIT */
/*
 * triad: a = b + s c on arrays larger than any cache, the same slice on the same worker each time. Memory bandwidth is all
 * that counts. After the STREAM benchmark (McCalpin 1995).
 */
#include "vectors.h"

#include "harness/kernel.h"

#define PASSES 16

static WS_LOOP_STATIC(add, long, i, double *, a, const double *, b, double, s, const double *, c)
{
    a[i] = b[i] + s * c[i];
}

static void *prepare(long size)
{
    return kernel_vectors_prepare(size, 3);
}

static void reset(void *data)
{
    struct kernel_vectors *d = (struct kernel_vectors *)data;

    memset(d->v[0], 0, (size_t)d->n * sizeof(double));
}

static int run(void *data)
{
    struct kernel_vectors *d = (struct kernel_vectors *)data;
    int error = 0;

    for (int pass = 1; pass <= PASSES && !error; pass++)
        error = ws_for(add, 0, d->n, d->v[0], d->v[1], (double)pass, d->v[2]);
    return error;
}

/* The numbers are small integers: no sum was rounded. */
static int check(void *data)
{
    struct kernel_vectors *d = (struct kernel_vectors *)data;

    for (long i = 0; i < d->n; i++) {
        if (d->v[0][i] != d->v[1][i] + PASSES * d->v[2][i])
            return 0;
    }
    return 1;
}

static double result(void *data)
{
    return kernel_vectors_sum((struct kernel_vectors *)data, 0);
}

KERNEL(triad) = {"triad",
                 "16 times a = b + s c in memory; size: numbers",
                 4000000,
                 10000,
                 200000000,
                 prepare,
                 reset,
                 run,
                 check,
                 result,
                 kernel_vectors_release};
