/* SPDX-License-Identifier: MIT */
/* For kernels on arrays of doubles: axpy, triad, dot. Neighbour: common.h. */
#ifndef BENCH_KERNELS_VECTORS_H
#define BENCH_KERNELS_VECTORS_H

#include "common.h"

#define KERNEL_VECTORS_MOST 3

struct kernel_vectors {
    long n;
    double *v[KERNEL_VECTORS_MOST];
    double value; /* what a reduction has found */
};

static inline void kernel_vectors_release(void *data)
{
    struct kernel_vectors *d = (struct kernel_vectors *)data;

    for (int k = 0; k < KERNEL_VECTORS_MOST; k++)
        free(d->v[k]);
    free(d);
}

/* `count` arrays of n integers from -512 to 511. */
static inline void *kernel_vectors_prepare(long n, int count)
{
    struct kernel_vectors *d = (struct kernel_vectors *)calloc(1, sizeof *d);
    uint64_t seed = 1;

    if (!d)
        return NULL;
    d->n = n;
    for (int k = 0; k < count; k++) {
        d->v[k] = (double *)malloc((size_t)n * sizeof(double));
        if (!d->v[k]) {
            kernel_vectors_release(d);
            return NULL;
        }
        for (long i = 0; i < n; i++)
            d->v[k][i] = (double)(kernel_random(&seed) >> 54) - 512;
    }
    return d;
}

/* A checksum in which the order counts. */
static inline double kernel_vectors_sum(const struct kernel_vectors *d, int k)
{
    double sum = 0;

    for (long i = 0; i < d->n; i++)
        sum += d->v[k][i] * (double)(i % 7 + 1);
    return sum;
}

#endif
