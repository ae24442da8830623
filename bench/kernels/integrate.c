/* SPDX-License-Identifier: MIT */
/*
 * integrate: adaptive quadrature, with a spawn, a call and a dozen floating-point operations for each task. Where fib
 * uses the integer registers, this kernel passes five doubles. After the integration example of the Cilk distributions.
 */
#include "harness/kernel.h"

#include <math.h>
#include <stdlib.h>

#define EPSILON 1e-7

static double f(double x)
{
    return (x * x + 1.0) * x;
}

/* The integral from x1 to x2, where the curve is at y1 and y2; `area` is the trapezoid's. */
static WS_TASK(double, integrate, double, x1, double, y1, double, x2, double, y2, double, area)
{
    double half = (x2 - x1) / 2, x0 = x1 + half, y0 = f(x0);
    double left = (y1 + y0) / 2 * half, right = (y0 + y2) / 2 * half;

    if (fabs(left + right - area) < EPSILON)
        return left + right;
    ws_spawn(integrate, &left, x1, y1, x0, y0, left);
    right = ws_call(integrate, x0, y0, x2, y2, right);
    ws_sync();
    return left + right;
}

struct integrate_data {
    double limit, result;
};

static void *prepare(long size)
{
    struct integrate_data *d = (struct integrate_data *)calloc(1, sizeof *d);

    if (d)
        d->limit = (double)size;
    return d;
}

static int run(void *data)
{
    struct integrate_data *d = (struct integrate_data *)data;
    double x = d->limit, y = f(x);

    d->result = -1;
    return ws_run(integrate, &d->result, 0.0, f(0.0), x, y, (f(0.0) + y) / 2 * x);
}

/*
 * Against the antiderivative. A pair of trapezoids that was good enough is wrong by at most a third of EPSILON. Such a
 * pair is at least half as wide as the widest that is good enough: the cube root of 16 EPSILON / f'', where f'' = 6 x.
 */
static int check(void *data)
{
    struct integrate_data *d = (struct integrate_data *)data;
    double x = d->limit, exact = x * x * x * x / 4 + x * x / 2;
    double pairs = 1 + 2 * 0.75 * x * cbrt(6 * x / (16 * EPSILON));

    return fabs(d->result - exact) <= pairs * EPSILON / 3 + 1e-13 * exact;
}

/* Rounded: a compiler that fuses multiplications and additions may do so differently in each variant. */
static double result(void *data)
{
    return (double)(float)((struct integrate_data *)data)->result;
}

KERNEL(integrate) = {"integrate", "integral of (x^2 + 1) x from 0 by adaptive quadrature; size: the upper limit",
                     10000,       100,
                     30000,       prepare,
                     NULL,        run,
                     check,       result,
                     free};
