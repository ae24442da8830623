/* SPDX-License-Identifier: MIT */
/*
 * heat: diffusion on a square plate by Jacobi iterations. Hundreds of short parallel loops with a sync after each, on
 * two grids that fit no near cache. After heat of the Cilk-5 distribution (Frigo, Leiserson and Randall 1998).
 */
#include "common.h"
#include "harness/kernel.h"

#include <math.h>

#define STEPS 400
#define LEAF_ROWS 16

/* The factors are powers of two, so that a compiler which fuses multiplications and additions changes nothing. */
static void advance_row(const double *above, const double *here, const double *below, double *to, long n)
{
    for (long j = 1; j <= n; j++)
        to[j] = here[j] + 0.125 * ((above[j] + below[j]) + (here[j - 1] + here[j + 1]) - 4 * here[j]);
}

/* One step for `rows` rows. The grids are at the edge above these. A row is n numbers between two edges. */
static WS_TASK_VOID(advance, const double *, from, double *, to, long, rows, long, n)
{
    long stride = n + 2;

    if (rows > LEAF_ROWS) {
        long half = rows / 2;

        ws_spawn(advance, from, to, half, n);
        ws_call(advance, from + half * stride, to + half * stride, rows - half, n);
        ws_sync();
        return;
    }
    for (long i = 1; i <= rows; i++) {
        const double *here = from + i * stride;

        advance_row(here - stride, here, here + stride, to + i * stride, n);
    }
}

static WS_TASK_VOID(simulate, double *, now, double *, next, long, n)
{
    for (int step = 0; step < STEPS; step += 2) {
        ws_call(advance, now, next, n, n);
        ws_call(advance, next, now, n, n);
    }
}

struct heat_data {
    long n;
    double *initial, *now, *next; /* (n + 2) x (n + 2), with edges of 0 */
};

/* A wave over the plate; the iteration only makes it smaller. */
struct mode {
    int down, across;
    double height;
};

static const struct mode modes[] = {{1, 1, 1}, {2, 5, 0.5}, {7, 3, -0.25}};

static double wave(long waves, long i, long n)
{
    return sin(3.14159265358979323846 * (double)waves * (double)i / (double)(n + 1));
}

/* The factor of a mode in a step: it is an eigenvector of the iteration. */
static double decay(const struct mode *m, long n)
{
    double x = wave(m->down, 1, 2 * n + 1), y = wave(m->across, 1, 2 * n + 1);

    return 1 - 0.5 * (x * x + y * y);
}

/* Fills the grid with the solution after this many steps. */
static void solve(double *grid, long n, int steps)
{
    memset(grid, 0, (size_t)(n + 2) * (size_t)(n + 2) * sizeof(double));
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        double height = modes[k].height * pow(decay(&modes[k], n), steps);

        for (long i = 1; i <= n; i++)
            for (long j = 1; j <= n; j++)
                grid[i * (n + 2) + j] += height * wave(modes[k].down, i, n) * wave(modes[k].across, j, n);
    }
}

static void reset(void *data)
{
    struct heat_data *d = (struct heat_data *)data;
    size_t bytes = (size_t)(d->n + 2) * (size_t)(d->n + 2) * sizeof(double);

    memcpy(d->now, d->initial, bytes);
    memset(d->next, 0, bytes);
}

static void release(void *data)
{
    struct heat_data *d = (struct heat_data *)data;

    free(d->initial);
    free(d->now);
    free(d->next);
    free(d);
}

static void *prepare(long size)
{
    struct heat_data *d = (struct heat_data *)calloc(1, sizeof *d);
    size_t bytes = (size_t)(size + 2) * (size_t)(size + 2) * sizeof(double);

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
    solve(d->initial, d->n, 0);
    reset(d);
    return d;
}

static int run(void *data)
{
    struct heat_data *d = (struct heat_data *)data;

    return ws_run(simulate, d->now, d->next, d->n);
}

/* Every point against the solution. The tolerance allows for the rounding of the steps. */
static int check(void *data)
{
    struct heat_data *d = (struct heat_data *)data;
    long points = (d->n + 2) * (d->n + 2);
    double *expected = (double *)malloc((size_t)points * sizeof(double));
    int is_right = expected != NULL;

    if (!expected)
        return 0;
    solve(expected, d->n, STEPS);
    for (long i = 0; i < points; i++)
        is_right = is_right && fabs(d->now[i] - expected[i]) < 1e-12;
    free(expected);
    return is_right;
}

/* The remaining heat. Rounded, since the waves may be computed with fused operations in one variant only. */
static double result(void *data)
{
    struct heat_data *d = (struct heat_data *)data;
    double sum = 0;

    for (long i = 0; i < (d->n + 2) * (d->n + 2); i++)
        sum += d->now[i];
    return (double)(float)sum;
}

KERNEL(heat) = {"heat", "400 steps of heat diffusion on a square plate; size: rows and columns",
                1024,   80,
                16384,  prepare,
                reset,  run,
                check,  result,
                release};
