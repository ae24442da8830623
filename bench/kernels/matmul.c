/* SPDX-License-Identifier: MIT */
/*
 * matmul: C += A B, cutting the longest side in two; thousands of tasks of some ten microseconds each, bound by
 * the floating-point units. Cutting the inner side is serial: both halves add to the same C.
 * The default size gives leaves of 48 columns. Those of 1280 have 40, and there a run from the last column to the first
 * takes 7 % longer than one from the first to the last; a worker that keeps its children runs them in that order.
 * The cache-oblivious algorithm of Frigo, Leiserson, Prokop and Ramachandran 1999.
 */
#include "harness/kernel.h"
#include "product.h"

#define LEAF 64

static void multiply_leaf(const double *a, const double *b, double *c, int m, int n, int k, int stride)
{
    for (int i = 0; i < m; i++) {
        double row[LEAF];

        for (int j = 0; j < n; j++)
            row[j] = c[j];
        for (int p = 0; p < k; p++)
            for (int j = 0; j < n; j++)
                row[j] += a[p] * b[(long)p * stride + j];
        for (int j = 0; j < n; j++)
            c[j] = row[j];
        a += stride;
        c += stride;
    }
}

/* c is m x n, a is m x k, b is k x n; a row of each is `stride` after the one before. */
static WS_TASK_VOID(multiply, const double *, a, const double *, b, double *, c, int, m, int, n, int, k, int, stride)
{
    if (m <= LEAF && n <= LEAF && k <= LEAF) {
        multiply_leaf(a, b, c, m, n, k, stride);
    } else if (m >= n && m >= k) {
        long half = m / 2;

        ws_spawn(multiply, a, b, c, m / 2, n, k, stride);
        ws_call(multiply, a + half * stride, b, c + half * stride, m - m / 2, n, k, stride);
        ws_sync();
    } else if (n >= k) {
        long half = n / 2;

        ws_spawn(multiply, a, b, c, m, n / 2, k, stride);
        ws_call(multiply, a, b + half, c + half, m, n - n / 2, k, stride);
        ws_sync();
    } else {
        long half = k / 2;

        ws_call(multiply, a, b, c, m, n, k / 2, stride);
        ws_call(multiply, a + half, b + half * stride, c, m, n, k - k / 2, stride);
    }
}

struct matmul_data {
    int n;
    double *a, *b, *c;
};

static void reset(void *data)
{
    struct matmul_data *d = (struct matmul_data *)data;

    memset(d->c, 0, (size_t)d->n * (size_t)d->n * sizeof(double));
}

static void release(void *data)
{
    struct matmul_data *d = (struct matmul_data *)data;

    free(d->a);
    free(d->b);
    free(d->c);
    free(d);
}

static void *prepare(long size)
{
    struct matmul_data *d = (struct matmul_data *)calloc(1, sizeof *d);
    size_t numbers = (size_t)size * (size_t)size, bytes = numbers * sizeof(double);
    uint64_t seed = 1;

    if (!d)
        return NULL;
    d->n = (int)size;
    d->a = (double *)malloc(bytes + 1);
    d->b = (double *)malloc(bytes + 1);
    d->c = (double *)malloc(bytes + 1);
    if (!d->a || !d->b || !d->c) {
        release(d);
        return NULL;
    }
    for (size_t i = 0; i < numbers; i++) {
        d->a[i] = kernel_product_entry(&seed);
        d->b[i] = kernel_product_entry(&seed);
    }
    reset(d);
    return d;
}

static int run(void *data)
{
    struct matmul_data *d = (struct matmul_data *)data;

    return ws_run(multiply, d->a, d->b, d->c, d->n, d->n, d->n, d->n);
}

static int check(void *data)
{
    struct matmul_data *d = (struct matmul_data *)data;
    double *probes = (double *)calloc(KERNEL_PRODUCT_PROBES * (size_t)d->n + 1, sizeof(double));
    int is_right = probes && kernel_product_check(d->a, d->b, d->c, d->n, probes);

    free(probes);
    return is_right;
}

static double result(void *data)
{
    struct matmul_data *d = (struct matmul_data *)data;

    return kernel_product_result(d->c, d->n);
}

KERNEL(matmul) = {"matmul", "C += A B in doubles, cache-oblivious; size: rows and columns",
                  1536,     100,
                  8192,     prepare,
                  reset,    run,
                  check,    result,
                  release};
