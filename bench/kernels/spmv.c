/* SPDX-License-Identifier: MIT */
/*
 * spmv: sparse matrix times vector, row by row (CSR). The lengths of the rows follow a power law, as in the matrices of
 * graphs; the columns are random, so that the processor waits for memory.
 */
#include "common.h"
#include "harness/kernel.h"

#include <math.h>

#define PASSES 20
#define SHORTEST 4
#define LONGEST 20000

static WS_LOOP(row, long, i, const long *, start, const int *, column, const double *, value, const double *, x,
               double *, y)
{
    double sum = 0;

    for (long k = start[i]; k < start[i + 1]; k++)
        sum += value[k] * x[column[k]];
    y[i] = sum;
}

struct spmv_data {
    long n;
    long *start; /* n + 1: where a row begins */
    int *column;
    double *value, *x, *y;
};

static void release(void *data)
{
    struct spmv_data *d = (struct spmv_data *)data;

    free(d->start);
    free(d->column);
    free(d->value);
    free(d->x);
    free(d->y);
    free(d);
}

/* The length of a row: at least SHORTEST, with the exponent 1.5. */
static long length(uint64_t *seed, long n)
{
    double u = ((double)(kernel_random(seed) >> 11) + 0.5) * 0x1p-53;
    double least = n < LONGEST ? (double)n : LONGEST, chosen = SHORTEST * pow(u, -1 / 1.5);

    return (long)fmin(chosen, least);
}

/* Values from -8 to 7: no sum of such products is rounded. */
static double small(uint64_t *seed)
{
    return (double)(kernel_random(seed) >> 60) - 8;
}

static void *prepare(long size)
{
    struct spmv_data *d = (struct spmv_data *)calloc(1, sizeof *d);
    uint64_t seed = 1;
    size_t entries;

    if (!d)
        return NULL;
    d->n = size;
    d->start = (long *)calloc((size_t)size + 1, sizeof(long));
    d->x = (double *)malloc((size_t)size * sizeof(double));
    d->y = (double *)malloc((size_t)size * sizeof(double));
    if (!d->start || !d->x || !d->y) {
        release(d);
        return NULL;
    }
    for (long i = 0; i < size; i++) {
        d->start[i + 1] = d->start[i] + length(&seed, size);
        d->x[i] = small(&seed);
    }
    entries = (size_t)d->start[size];
    d->column = (int *)malloc(entries * sizeof(int));
    d->value = (double *)malloc(entries * sizeof(double));
    if (!d->column || !d->value) {
        release(d);
        return NULL;
    }
    for (size_t k = 0; k < entries; k++) {
        d->column[k] = (int)(kernel_random(&seed) % (uint64_t)size);
        d->value[k] = small(&seed);
    }
    return d;
}

static void reset(void *data)
{
    struct spmv_data *d = (struct spmv_data *)data;

    for (long i = 0; i < d->n; i++)
        d->y[i] = -1;
}

static int run(void *data)
{
    struct spmv_data *d = (struct spmv_data *)data;
    int error = 0;

    for (int pass = 0; pass < PASSES && !error; pass++)
        error = ws_for(row, 0, d->n, d->start, d->column, d->value, d->x, d->y);
    return error;
}

/* For random weights w, w (A x) = (w A) x (Freivalds 1977); the left side weighs rows, the right side columns. */
static int check(void *data)
{
    struct spmv_data *d = (struct spmv_data *)data;
    uint64_t seed = 2;
    double *weighted = (double *)calloc((size_t)d->n, sizeof(double)), left = 0, right = 0;

    if (!weighted)
        return 0;
    for (long i = 0; i < d->n; i++) {
        double w = small(&seed);

        left += w * d->y[i];
        for (long k = d->start[i]; k < d->start[i + 1]; k++)
            weighted[d->column[k]] += w * d->value[k];
    }
    for (long j = 0; j < d->n; j++)
        right += weighted[j] * d->x[j];
    free(weighted);
    return left == right;
}

static double result(void *data)
{
    struct spmv_data *d = (struct spmv_data *)data;
    double sum = 0;

    for (long i = 0; i < d->n; i++)
        sum += d->y[i] * (double)(i % 7 + 1);
    return sum;
}

KERNEL(spmv) = {"spmv",   "20 times a sparse matrix and a vector, rows of very different lengths; size: rows",
                300000,   1000,
                10000000, prepare,
                reset,    run,
                check,    result,
                release};
