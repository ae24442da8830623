/* SPDX-License-Identifier: MIT */
/*
 * The matrices of lu.c and cholesky.c: products of factors that are known, and their storage in blocks.
 *
 * A = L U with L[i][j] = u[i] v[j] below and U[i][j] = p[i] q[j] above the diagonal, so that every entry of A is a sum
 * of two terms. All numbers are whole and those on the diagonals are powers of two: every step of a decomposition is
 * exact in doubles, and whatever their order the result is L and U to the last bit.
 */
#ifndef BENCH_KERNELS_FACTORS_H
#define BENCH_KERNELS_FACTORS_H

#include "common.h"

#define KERNEL_SIDE 32 /* 8 KiB a block: the three of a product fit the nearest cache */

struct kernel_block {
    double at[KERNEL_SIDE][KERNEL_SIDE];
};

/* row -= a[0] b[0] + ... + a[3] b[3]: four rows at once, so that `row` is loaded and stored less often. */
static inline void kernel_block_subtract(double *row, const double *a, const double (*b)[KERNEL_SIDE])
{
    for (int j = 0; j < KERNEL_SIDE; j++)
        row[j] -= a[0] * b[0][j] + a[1] * b[1][j] + a[2] * b[2][j] + a[3] * b[3][j];
}

/* x -= a b, or x -= a^T b if `transposed`, which is a constant where this is inlined. */
static inline void kernel_block_update(struct kernel_block *x, const struct kernel_block *a,
                                       const struct kernel_block *b, int transposed)
{
    for (int i = 0; i < KERNEL_SIDE; i++) {
        double row[KERNEL_SIDE];

        memcpy(row, x->at[i], sizeof row);
        for (int k = 0; k < KERNEL_SIDE; k += 4) {
            double column[4] = {a->at[k][i], a->at[k + 1][i], a->at[k + 2][i], a->at[k + 3][i]};

            kernel_block_subtract(row, transposed ? column : &a->at[i][k], &b->at[k]);
        }
        memcpy(x->at[i], row, sizeof row);
    }
}

/* The numbers that make row and column i of the factors. */
struct kernel_line {
    double u, v, lower; /* of L; L[i][i] = lower */
    double p, q, upper; /* of U; U[i][i] = upper */
    double sum;         /* of v p in the rows before */
};

struct kernel_factors {
    int is_symmetric; /* L is the transpose of U, and only U is wanted */
    long n, blocks;   /* rows, rows of blocks */
    struct kernel_line *lines;
    struct kernel_block *x; /* row by row; a run puts the factors in the place of A, U with its diagonal */
};

static inline double *kernel_factors_entry(struct kernel_factors *d, long i, long j)
{
    return &d->x[i / KERNEL_SIDE * d->blocks + j / KERNEL_SIDE].at[i % KERNEL_SIDE][j % KERNEL_SIDE];
}

/* Fills in A. */
static inline void kernel_factors_reset(void *data)
{
    struct kernel_factors *d = (struct kernel_factors *)data;

    for (long i = 0; i < d->n; i++) {
        for (long j = 0; j < d->n; j++) {
            const struct kernel_line *row = &d->lines[i], *column = &d->lines[j];
            double last = i < j   ? row->lower * row->p * column->q
                          : i > j ? row->u * column->v * column->upper
                                  : row->lower * row->upper;

            *kernel_factors_entry(d, i, j) = row->u * column->q * (i < j ? row->sum : column->sum) + last;
        }
    }
}

static inline void kernel_factors_release(void *data)
{
    struct kernel_factors *d = (struct kernel_factors *)data;

    free(d->lines);
    free(d->x);
    free(d);
}

/* 1, 2, -1 or -2 */
static inline double kernel_factors_pick(uint64_t *seed)
{
    uint64_t x = kernel_random(seed);

    return (double)(1 + (x >> 63)) * (x & 1 ? 1 : -1);
}

/* The size is rounded up to whole blocks. */
static inline void *kernel_factors_prepare(long size, int is_symmetric)
{
    struct kernel_factors *d = (struct kernel_factors *)calloc(1, sizeof *d);
    uint64_t seed = 1;
    double sum = 0;

    if (!d)
        return NULL;
    d->is_symmetric = is_symmetric;
    d->blocks = size > KERNEL_SIDE ? (size - 1) / KERNEL_SIDE + 1 : 1;
    d->n = d->blocks * KERNEL_SIDE;
    d->lines = (struct kernel_line *)malloc((size_t)d->n * sizeof *d->lines);
    d->x = (struct kernel_block *)malloc((size_t)d->blocks * (size_t)d->blocks * sizeof *d->x);
    if (!d->lines || !d->x) {
        kernel_factors_release(d);
        return NULL;
    }
    for (long i = 0; i < d->n; i++) {
        struct kernel_line *l = &d->lines[i];

        l->p = kernel_factors_pick(&seed);
        l->q = kernel_factors_pick(&seed);
        l->upper = (double)(1 << (kernel_random(&seed) >> 62));
        l->u = is_symmetric ? l->q : kernel_factors_pick(&seed);
        l->v = is_symmetric ? l->p : kernel_factors_pick(&seed);
        l->lower = is_symmetric ? l->upper : 1;
        l->sum = sum;
        sum += l->v * l->p;
    }
    kernel_factors_reset(d);
    return d;
}

/* Every entry against the factors that A was made from. */
static inline int kernel_factors_check(void *data)
{
    struct kernel_factors *d = (struct kernel_factors *)data;
    long wrong = 0;

    for (long i = 0; i < d->n; i++) {
        for (long j = d->is_symmetric ? i : 0; j < d->n; j++) {
            const struct kernel_line *row = &d->lines[i], *column = &d->lines[j];
            double known = i < j ? row->p * column->q : i > j ? row->u * column->v : row->upper;

            wrong += *kernel_factors_entry(d, i, j) != known;
        }
    }
    return wrong == 0;
}

/* A weighted sum of the factors. */
static inline double kernel_factors_result(void *data)
{
    struct kernel_factors *d = (struct kernel_factors *)data;
    double sum = 0;

    for (long i = 0; i < d->n; i++)
        for (long j = d->is_symmetric ? i : 0; j < d->n; j++)
            sum += *kernel_factors_entry(d, i, j) * (double)((i + 3 * j) % 7 + 1);
    return sum;
}

#endif
