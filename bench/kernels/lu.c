/* SPDX-License-Identifier: MIT */
/*
 * lu: L U = A without pivoting, by halves. Three kinds of tasks with a long critical path of small ones.
 * The recursion of Toledo 1997, "Locality of Reference in LU Decomposition with Partial Pivoting"; the division into
 * triangular solves and Schur complements is that of lu in the Cilk-5 distribution (Frigo, Leiserson and Randall 1998).
 */
#include "factors.h"
#include "harness/kernel.h"

static void block_lu(struct kernel_block *x)
{
    for (int k = 0; k < KERNEL_SIDE; k++) {
        for (int i = k + 1; i < KERNEL_SIDE; i++) {
            x->at[i][k] /= x->at[k][k];
            for (int j = k + 1; j < KERNEL_SIDE; j++)
                x->at[i][j] -= x->at[i][k] * x->at[k][j];
        }
    }
}

/* x = l^-1 x, where l is the lower half with ones on its diagonal. */
static void block_lower(struct kernel_block *x, const struct kernel_block *l)
{
    for (int i = 1; i < KERNEL_SIDE; i++)
        for (int k = 0; k < i; k++)
            for (int j = 0; j < KERNEL_SIDE; j++)
                x->at[i][j] -= l->at[i][k] * x->at[k][j];
}

/* x = x u^-1, where u is the upper half. */
static void block_upper(struct kernel_block *x, const struct kernel_block *u)
{
    for (int i = 0; i < KERNEL_SIDE; i++) {
        for (int k = 0; k < KERNEL_SIDE; k++) {
            x->at[i][k] /= u->at[k][k];
            for (int j = k + 1; j < KERNEL_SIDE; j++)
                x->at[i][j] -= x->at[i][k] * u->at[k][j];
        }
    }
}

/* x -= a b; x is m x n, a is m x k, b is k x n. */
static WS_TASK_VOID(schur, struct kernel_block *, x, const struct kernel_block *, a, const struct kernel_block *, b,
                    long, m, long, n, long, k, long, stride)
{
    if (m == 1 && n == 1) {
        for (long p = 0; p < k; p++)
            kernel_block_update(x, a + p, b + p * stride, 0);
        return;
    }
    if (m >= n) {
        long h = m / 2;

        ws_spawn(schur, x, a, b, h, n, k, stride);
        ws_call(schur, x + h * stride, a + h * stride, b, m - h, n, k, stride);
    } else {
        long h = n / 2;

        ws_spawn(schur, x, a, b, m, h, k, stride);
        ws_call(schur, x + h, a, b + h, m, n - h, k, stride);
    }
    ws_sync();
}

/* x = l^-1 x; x is m x n, l is m x m. */
static WS_TASK_VOID(lower, struct kernel_block *, x, const struct kernel_block *, l, long, m, long, n, long, stride)
{
    if (m == 1 && n == 1) {
        block_lower(x, l);
    } else if (n >= m) {
        long h = n / 2;

        ws_spawn(lower, x, l, m, h, stride);
        ws_call(lower, x + h, l, m, n - h, stride);
        ws_sync();
    } else {
        long h = m / 2, down = h * stride;

        ws_call(lower, x, l, h, n, stride);
        ws_call(schur, x + down, l + down, x, m - h, n, h, stride);
        ws_call(lower, x + down, l + down + h, m - h, n, stride);
    }
}

/* x = x u^-1; x is m x n, u is n x n. */
static WS_TASK_VOID(upper, struct kernel_block *, x, const struct kernel_block *, u, long, m, long, n, long, stride)
{
    if (m == 1 && n == 1) {
        block_upper(x, u);
    } else if (m >= n) {
        long h = m / 2, down = h * stride;

        ws_spawn(upper, x, u, h, n, stride);
        ws_call(upper, x + down, u, m - h, n, stride);
        ws_sync();
    } else {
        long h = n / 2;

        ws_call(upper, x, u, m, h, stride);
        ws_call(schur, x + h, x, u + h, m, n - h, h, stride);
        ws_call(upper, x + h, u + h * stride + h, m, n - h, stride);
    }
}

static WS_TASK_VOID(lu, struct kernel_block *, x, long, n, long, stride)
{
    if (n == 1) {
        block_lu(x);
        return;
    }
    long h = n / 2, down = h * stride;

    ws_call(lu, x, h, stride);
    ws_spawn(lower, x + h, x, h, n - h, stride);
    ws_call(upper, x + down, x, n - h, h, stride);
    ws_sync();
    ws_call(schur, x + down + h, x + down, x + h, n - h, n - h, h, stride);
    ws_call(lu, x + down + h, n - h, stride);
}

static void *prepare(long size)
{
    return kernel_factors_prepare(size, 0);
}

static int run(void *data)
{
    struct kernel_factors *d = (struct kernel_factors *)data;

    return ws_run(lu, d->x, d->blocks, d->blocks);
}

KERNEL(lu) = {"lu",
              "LU decomposition without pivoting; size: rows and columns, rounded up to a multiple of 32",
              2048,
              320,
              16384,
              prepare,
              kernel_factors_reset,
              run,
              kernel_factors_check,
              kernel_factors_result,
              kernel_factors_release};
