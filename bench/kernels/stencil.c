/* SPDX-License-Identifier: MIT */
/*
 * stencil: diffusion along a rod: thousands of loops of some 20 us, each of which reads what the last one wrote, the same
 * slice on the same worker. heat.c is the same in two dimensions, by tasks.
 */
#include "common.h"
#include "harness/kernel.h"

#include <math.h>

#define STEPS 8000

/* The factors are powers of two, so that a compiler which fuses multiplications and additions changes nothing. */
static WS_LOOP_STATIC(step, long, i, const double *, from, double *, to)
{
    to[i] = 0.25 * (from[i - 1] + from[i + 1]) + 0.5 * from[i];
}

struct stencil_data {
    long n;
    double *initial, *now, *next; /* n + 2, with ends of 0 */
};

/* A wave along the rod. Each step makes it smaller by the same factor: it is an eigenvector of the iteration. */
static const struct mode {
    int waves;
    double height;
} modes[] = {{1, 1}, {2, 0.5}, {7, -0.25}, {100, 0.125}, {333, 0.25}};

static const double pi = 3.14159265358979323846;

/* Fills the rod with the solution after this many steps. */
static void solve(double *rod, long n, int steps)
{
    memset(rod, 0, (size_t)(n + 2) * sizeof(double));
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        double angle = pi * modes[k].waves / (double)(n + 1), half = sin(angle / 2);
        double height = modes[k].height * pow(1 - half * half, steps);

        for (long i = 1; i <= n; i++)
            rod[i] += height * sin(angle * (double)i);
    }
}

static void release(void *data)
{
    struct stencil_data *d = (struct stencil_data *)data;

    free(d->initial);
    free(d->now);
    free(d->next);
    free(d);
}

static void *prepare(long size)
{
    struct stencil_data *d = (struct stencil_data *)calloc(1, sizeof *d);
    size_t bytes = (size_t)(size + 2) * sizeof(double);

    if (!d)
        return NULL;
    d->n = size;
    d->initial = (double *)malloc(bytes);
    d->now = (double *)malloc(bytes);
    d->next = (double *)malloc(bytes);
    if (!d->initial || !d->now || !d->next) {
        release(d);
        return NULL;
    }
    solve(d->initial, size, 0);
    memset(d->next, 0, bytes);
    return d;
}

static void reset(void *data)
{
    struct stencil_data *d = (struct stencil_data *)data;

    memcpy(d->now, d->initial, (size_t)(d->n + 2) * sizeof(double));
}

static int run(void *data)
{
    struct stencil_data *d = (struct stencil_data *)data;
    int error = 0;

    for (int s = 0; s < STEPS && !error; s += 2) {
        error = ws_for(step, 1, d->n + 1, d->now, d->next);
        if (!error)
            error = ws_for(step, 1, d->n + 1, d->next, d->now);
    }
    return error;
}

/* Every point against the solution. The tolerance allows for the rounding of the steps. */
static int check(void *data)
{
    struct stencil_data *d = (struct stencil_data *)data;
    double *expected = (double *)malloc((size_t)(d->n + 2) * sizeof(double));
    int is_right = expected != NULL;

    if (!expected)
        return 0;
    solve(expected, d->n, STEPS);
    for (long i = 0; i < d->n + 2; i++)
        is_right = is_right && fabs(d->now[i] - expected[i]) < 1e-11;
    free(expected);
    return is_right;
}

/* Rounded, since the waves may be computed with fused operations in one variant only. */
static double result(void *data)
{
    struct stencil_data *d = (struct stencil_data *)data;
    double sum = 0;

    for (long i = 0; i < d->n + 2; i++)
        sum += d->now[i];
    return (double)(float)sum;
}

KERNEL(stencil) = {"stencil", "8000 steps of diffusion along a rod; size: points",
                   100000,    1000,
                   100000000, prepare,
                   reset,     run,
                   check,     result,
                   release};
