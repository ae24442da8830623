/* SPDX-License-Identifier: MIT */
/*
 * The matrices of matmul.c and strassen.c: square, with small whole numbers, so that every sum is exact in any order;
 * and how their product is verified.
 */
#ifndef BENCH_KERNELS_PRODUCT_H
#define BENCH_KERNELS_PRODUCT_H

#include "common.h"

/* A number of a factor. */
static inline double kernel_product_entry(uint64_t *seed)
{
    return (double)(kernel_random(seed) >> 60) - 7;
}

/* to = matrix x */
static inline void kernel_product_apply(const double *matrix, const double *x, double *to, long n)
{
    for (long i = 0; i < n; i++) {
        to[i] = 0;
        for (long j = 0; j < n; j++)
            to[i] += matrix[i * n + j] * x[j];
    }
}

/* The check needs room for this many vectors of n numbers. */
#define KERNEL_PRODUCT_PROBES 4

/* Freivalds 1977: C x = A (B x) for a random vector, here of whole numbers below 2^16, so that it holds exactly. */
static inline int kernel_product_check(const double *a, const double *b, const double *c, long n, double *probes)
{
    double *x = probes, *cx = x + n, *bx = cx + n, *abx = bx + n;
    uint64_t seed = 2;
    long wrong = 0;

    for (long i = 0; i < n; i++)
        x[i] = (double)(kernel_random(&seed) >> 48);
    kernel_product_apply(c, x, cx, n);
    kernel_product_apply(b, x, bx, n);
    kernel_product_apply(a, bx, abx, n);
    for (long i = 0; i < n; i++)
        wrong += cx[i] != abx[i];
    return wrong == 0;
}

/* A weighted sum of C. */
static inline double kernel_product_result(const double *c, long n)
{
    double sum = 0;

    for (long i = 0; i < n * n; i++)
        sum += c[i] * (double)(i % 7 + 1);
    return sum;
}

#endif
