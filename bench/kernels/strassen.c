/* SPDX-License-Identifier: MIT */
/*
 * strassen: C = A B by seven half-sized products in parallel, with serial additions around them. Arguments of eight
 * words, which do not fit a descriptor. Strassen 1969, "Gaussian Elimination is not Optimal", in Winograd's form with
 * 15 additions.
 */
#include "harness/kernel.h"
#include "product.h"

#define LEAF 96

struct square {
    double *at;
    long stride;
};

static struct square part(struct square whole, long row, long column)
{
    whole.at += row * whole.stride + column;
    return whole;
}

static struct square take_square(double **work, long n)
{
    struct square s = {*work, n};

    *work += n * n;
    return s;
}

/* to = x + sign y; `to` may be x or y. */
static void combine(struct square to, struct square x, double sign, struct square y, long n)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            to.at[i * to.stride + j] = x.at[i * x.stride + j] + sign * y.at[i * y.stride + j];
}

static void multiply_leaf(struct square c, struct square a, struct square b, long n)
{
    for (long i = 0; i < n; i++) {
        double row[LEAF] = {0};

        for (long p = 0; p < n; p++)
            for (long j = 0; j < n; j++)
                row[j] += a.at[i * a.stride + p] * b.at[p * b.stride + j];
        memcpy(c.at + i * c.stride, row, (size_t)n * sizeof(double));
    }
}

/* Numbers that multiply() needs for temporaries: eight sums and three products, and the needs of the seven products. */
static long workspace(long n)
{
    long half = n / 2;

    return n <= LEAF ? 0 : 11 * half * half + 7 * workspace(half);
}

static WS_TASK_VOID(multiply, struct square, c, struct square, a, struct square, b, long, n, double *, work)
{
    if (n <= LEAF) {
        multiply_leaf(c, a, b, n);
        return;
    }
    long h = n / 2, below = workspace(h);
    struct square a11 = a, a12 = part(a, 0, h), a21 = part(a, h, 0), a22 = part(a, h, h);
    struct square b11 = b, b12 = part(b, 0, h), b21 = part(b, h, 0), b22 = part(b, h, h);
    struct square c11 = c, c12 = part(c, 0, h), c21 = part(c, h, 0), c22 = part(c, h, h);
    struct square s1 = take_square(&work, h), s2 = take_square(&work, h), s3 = take_square(&work, h);
    struct square s4 = take_square(&work, h), t1 = take_square(&work, h), t2 = take_square(&work, h);
    struct square t3 = take_square(&work, h), t4 = take_square(&work, h), p1 = take_square(&work, h);
    struct square p5 = take_square(&work, h), p6 = take_square(&work, h);

    combine(s1, a21, 1, a22, h);
    combine(s2, s1, -1, a11, h);
    combine(s3, a11, -1, a21, h);
    combine(s4, a12, -1, s2, h);
    combine(t1, b12, -1, b11, h);
    combine(t2, b22, -1, t1, h);
    combine(t3, b22, -1, b12, h);
    combine(t4, t2, -1, b21, h);
    ws_spawn(multiply, p1, a11, b11, h, work);
    ws_spawn(multiply, c11, a12, b21, h, work + below);
    ws_spawn(multiply, c12, s4, b22, h, work + 2 * below);
    ws_spawn(multiply, c21, a22, t4, h, work + 3 * below);
    ws_spawn(multiply, p5, s1, t1, h, work + 4 * below);
    ws_spawn(multiply, p6, s2, t2, h, work + 5 * below);
    ws_call(multiply, c22, s3, t3, h, work + 6 * below);
    ws_sync();
    combine(c11, c11, 1, p1, h);
    combine(p6, p6, 1, p1, h);
    combine(c22, c22, 1, p6, h);
    combine(c21, c22, -1, c21, h);
    combine(c22, c22, 1, p5, h);
    combine(p6, p6, 1, p5, h);
    combine(c12, c12, 1, p6, h);
}

struct strassen_data {
    long n;
    double *a, *b, *c, *work;
};

static void reset(void *data)
{
    struct strassen_data *d = (struct strassen_data *)data;

    memset(d->c, 0, (size_t)(d->work - d->c) * sizeof(double));
}

static void release(void *data)
{
    struct strassen_data *d = (struct strassen_data *)data;

    free(d->a);
    free(d);
}

static void *prepare(long size)
{
    struct strassen_data *d = (struct strassen_data *)calloc(1, sizeof *d);
    uint64_t seed = 1;
    long numbers, n;
    int halvings = 0;

    if (!d)
        return NULL;
    while (size >> halvings > LEAF)
        halvings++;
    n = size >> halvings << halvings;
    numbers = 3 * n * n + workspace(n) + KERNEL_PRODUCT_PROBES * n; /* the check's vectors last */
    d->n = n;
    d->a = (double *)malloc((size_t)numbers * sizeof(double) + 1);
    if (!d->a) {
        free(d);
        return NULL;
    }
    d->b = d->a + n * n;
    d->c = d->b + n * n;
    d->work = d->c + n * n;
    for (long i = 0; i < numbers; i++) /* the workspace, too: a run should not pay for its pages */
        d->a[i] = i < 2 * n * n ? kernel_product_entry(&seed) : 0;
    return d;
}

static int run(void *data)
{
    struct strassen_data *d = (struct strassen_data *)data;
    struct square a = {d->a, d->n}, b = {d->b, d->n}, c = {d->c, d->n};

    return ws_run(multiply, c, a, b, d->n, d->work);
}

static int check(void *data)
{
    struct strassen_data *d = (struct strassen_data *)data;

    return kernel_product_check(d->a, d->b, d->c, d->n, d->work + workspace(d->n));
}

static double result(void *data)
{
    struct strassen_data *d = (struct strassen_data *)data;

    return kernel_product_result(d->c, d->n);
}

KERNEL(strassen) = {"strassen", "Strassen's matrix product; size: rows and columns, rounded down to k 2^i, k up to 96",
                    1280,       256,
                    2048,       prepare,
                    reset,      run,
                    check,      result,
                    release};
