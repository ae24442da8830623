/* SPDX-License-Identifier: MIT */
/*
 * cholesky: U^T U = A for a dense positive definite matrix, by halves. As lu.c, but in the trailing update the tasks
 * are of two kinds and uneven: squares, and triangles along the diagonal.
 * The recursion of Gustavson 1997, "Recursion Leads to Automatic Variable Blocking for Dense Linear-Algebra
 * Algorithms".
 */
#include "factors.h"
#include "harness/kernel.h"

#include <math.h>

/* The matrix is stored in blocks. In the tasks sizes and strides count blocks. */

/* The lower half of the block is not used. */
static void block_cholesky(struct kernel_block *x)
{
    for (int k = 0; k < KERNEL_SIDE; k++) {
        double root = sqrt(x->at[k][k]);

        for (int j = k; j < KERNEL_SIDE; j++)
            x->at[k][j] /= root;
        for (int i = k + 1; i < KERNEL_SIDE; i++)
            for (int j = i; j < KERNEL_SIDE; j++)
                x->at[i][j] -= x->at[k][i] * x->at[k][j];
    }
}

/* x = u^-T x, where u is the upper half. */
static void block_solve(struct kernel_block *x, const struct kernel_block *u)
{
    for (int i = 0; i < KERNEL_SIDE; i++) {
        for (int k = 0; k < i; k++)
            for (int j = 0; j < KERNEL_SIDE; j++)
                x->at[i][j] -= u->at[k][i] * x->at[k][j];
        for (int j = 0; j < KERNEL_SIDE; j++)
            x->at[i][j] /= u->at[i][i];
    }
}

/* x -= a^T b; x is m x n, a is k x m, b is k x n. */
static WS_TASK_VOID(update, struct kernel_block *, x, const struct kernel_block *, a, const struct kernel_block *, b,
                    long, m, long, n, long, k, long, stride)
{
    if (m == 1 && n == 1) {
        for (long p = 0; p < k; p++)
            kernel_block_update(x, a + p * stride, b + p * stride, 1);
        return;
    }
    if (m >= n) {
        long h = m / 2;

        ws_spawn(update, x, a, b, h, n, k, stride);
        ws_call(update, x + h * stride, a + h, b, m - h, n, k, stride);
    } else {
        long h = n / 2;

        ws_spawn(update, x, a, b, m, h, k, stride);
        ws_call(update, x + h, a, b + h, m, n - h, k, stride);
    }
    ws_sync();
}

/* The blocks of x -= a^T a on the diagonal and above; x is n x n, a is k x n. */
static WS_TASK_VOID(update_triangle, struct kernel_block *, x, const struct kernel_block *, a, long, n, long, k, long,
                    stride)
{
    if (n == 1) {
        ws_call(update, x, a, a, n, n, k, stride);
        return;
    }
    long h = n / 2;

    ws_spawn(update_triangle, x, a, h, k, stride);
    ws_spawn(update, x + h, a, a + h, h, n - h, k, stride);
    ws_call(update_triangle, x + h * stride + h, a + h, n - h, k, stride);
    ws_sync();
}

/* x = u^-T x; x is m x n, u is m x m. */
static WS_TASK_VOID(solve, struct kernel_block *, x, const struct kernel_block *, u, long, m, long, n, long, stride)
{
    if (m == 1 && n == 1) {
        block_solve(x, u);
    } else if (n >= m) {
        long h = n / 2;

        ws_spawn(solve, x, u, m, h, stride);
        ws_call(solve, x + h, u, m, n - h, stride);
        ws_sync();
    } else {
        long h = m / 2, down = h * stride;

        ws_call(solve, x, u, h, n, stride);
        ws_call(update, x + down, u + h, x, m - h, n, h, stride);
        ws_call(solve, x + down, u + down + h, m - h, n, stride);
    }
}

static WS_TASK_VOID(cholesky, struct kernel_block *, x, long, n, long, stride)
{
    if (n == 1) {
        block_cholesky(x);
        return;
    }
    long h = n / 2, down = h * stride;

    ws_call(cholesky, x, h, stride);
    ws_call(solve, x + h, x, h, n - h, stride);
    ws_call(update_triangle, x + down + h, x + h, n - h, h, stride);
    ws_call(cholesky, x + down + h, n - h, stride);
}

static void *prepare(long size)
{
    return kernel_factors_prepare(size, 1);
}

static int run(void *data)
{
    struct kernel_factors *d = (struct kernel_factors *)data;

    return ws_run(cholesky, d->x, d->blocks, d->blocks);
}

KERNEL(cholesky) = {"cholesky",
                    "dense Cholesky decomposition; size: rows and columns, rounded up to a multiple of 32",
                    2560,
                    320,
                    16384,
                    prepare,
                    kernel_factors_reset,
                    run,
                    kernel_factors_check,
                    kernel_factors_result,
                    kernel_factors_release};
