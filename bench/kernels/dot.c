/* SPDX-License-Identifier: MIT */
/*
 * dot: the scalar product of two vectors of random fractions, two hundred times. A reduction whose sums are rounded. Ts is
 * not the elision, which adds along the same tree, but the loop that a C programmer writes.
 */
#include "vectors.h"

#include "harness/kernel.h"

#include <math.h>

#define PASSES 200

#ifdef WSFJ_SERIAL
static int product_of(double *sum, long n, const double *x, const double *y)
{
    double s = 0;

    for (long i = 0; i < n; i++)
        s += x[i] * y[i];
    *sum = s;
    return 0;
}
#else
static WS_REDUCE(double, 0.0, WS_ADD, product, long, i, const double *, x, const double *, y)
{
    return x[i] * y[i];
}

static int product_of(double *sum, long n, const double *x, const double *y)
{
    return ws_for(product, sum, 0, n, x, y);
}
#endif

static void *prepare(long size)
{
    struct kernel_vectors *d = (struct kernel_vectors *)kernel_vectors_prepare(size, 2);

    for (long i = 0; d && i < size; i++) {
        d->v[0][i] = (d->v[0][i] + 0.1) / 3;
        d->v[1][i] = (d->v[1][i] + 700) / 7;
    }
    return d;
}

static int run(void *data)
{
    struct kernel_vectors *d = (struct kernel_vectors *)data;
    int error = 0;

    d->value = 0;
    for (int pass = 0; pass < PASSES && !error; pass++) {
        double sum = 0;

        error = product_of(&sum, d->n, d->v[0], d->v[1]);
        d->value += sum * (pass + 1);
    }
    return error;
}

/* Against a sum with twice the digits (Kahan 1965). */
static int check(void *data)
{
    struct kernel_vectors *d = (struct kernel_vectors *)data;
    double passes = PASSES * (PASSES + 1) / 2.0, sum = 0, rest = 0, size = 0;

    for (long i = 0; i < d->n; i++) {
        double x = d->v[0][i] * d->v[1][i];
        volatile double y = x - rest, t = sum + y, gone = t - sum; /* volatile: nothing is simplified */

        rest = gone - y;
        sum = t;
        size += fabs(x);
    }
    return fabs(d->value / passes - sum) <= 1e-14 * size;
}

/* The digits that both ways of adding have. That WS_REDUCE has the same bits each time: user/reductions. */
static double result(void *data)
{
    return (float)((struct kernel_vectors *)data)->value;
}

KERNEL(dot) = {"dot",
               "200 times the scalar product of two vectors; size: numbers",
               2000000,
               10000,
               200000000,
               prepare,
               NULL,
               run,
               check,
               result,
               kernel_vectors_release};
