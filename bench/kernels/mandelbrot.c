/* SPDX-License-Identifier: MIT */
/*
 * mandelbrot: how fast each point of a picture escapes: a loop over rows and columns. Points of the set take a hundred times
 * as long as most others, and lie together.
 */
#include "common.h"
#include "harness/kernel.h"

#include <math.h>

#define LIMIT 400
#define WIDTH 3.0 /* the picture: -2.25 to 0.75 and -1.5 i to 1.5 i */
#define LEFT (-2.25)

/* The steps until x + y i is outside of the circle, at most LIMIT. */
static int steps_of(double x, double y)
{
    double a = 0, b = 0;
    int k = 0;

    for (; k < LIMIT && a * a + b * b <= 4; k++) {
        double next = a * a - b * b + x;

        b = 2 * a * b + y;
        a = next;
    }
    return k;
}

/* The middle of the pixel. */
static double re_of(long column, long n)
{
    return LEFT + WIDTH * ((double)column + 0.5) / (double)n;
}

static double im_of(long row, long n)
{
    return WIDTH * ((double)(2 * row + 1 - n) / (double)(2 * n));
}

static WS_LOOP2(draw, long, row, long, column, int *, pixel, long, n)
{
    pixel[row * n + column] = steps_of(re_of(column, n), im_of(row, n));
}

struct mandelbrot_data {
    long n;
    int *pixel;
};

static void release(void *data)
{
    struct mandelbrot_data *d = (struct mandelbrot_data *)data;

    free(d->pixel);
    free(d);
}

static void *prepare(long size)
{
    struct mandelbrot_data *d = (struct mandelbrot_data *)calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->n = size;
    d->pixel = (int *)malloc((size_t)(size * size) * sizeof(int));
    if (!d->pixel) {
        release(d);
        return NULL;
    }
    return d;
}

static void reset(void *data)
{
    struct mandelbrot_data *d = (struct mandelbrot_data *)data;

    memset(d->pixel, -1, (size_t)(d->n * d->n) * sizeof(int));
}

static int run(void *data)
{
    struct mandelbrot_data *d = (struct mandelbrot_data *)data;

    return ws_for(draw, 0, d->n, 0, d->n, d->pixel, d->n);
}

/* 1 if the point belongs to the main cardioid or to the disc left of it, -1 if it is outside of the circle, else 0. */
static int known(double x, double y)
{
    double q = (x - 0.25) * (x - 0.25) + y * y;

    if (q * (q + (x - 0.25)) < 0.25 * y * y * 0.999 || (x + 1) * (x + 1) + y * y < 0.0625 * 0.999)
        return 1;
    return x * x + y * y > 4.001 ? -1 : 0;
}

/* What is known of each point; the picture is symmetric; and one pixel in 61 is computed again. */
static int check(void *data)
{
    struct mandelbrot_data *d = (struct mandelbrot_data *)data;
    int is_right = 1;

    for (long i = 0; i < d->n; i++) {
        for (long j = 0; j < d->n; j++) {
            int pixel = d->pixel[i * d->n + j], set = known(re_of(j, d->n), im_of(i, d->n));

            is_right = is_right && pixel >= 1 && pixel <= LIMIT && pixel == d->pixel[(d->n - 1 - i) * d->n + j] &&
                       (set != 1 || pixel == LIMIT) && (set != -1 || pixel == 1);
            if ((i * d->n + j) % 61 == 0)
                is_right = is_right && pixel == steps_of(re_of(j, d->n), im_of(i, d->n));
        }
    }
    return is_right;
}

static double result(void *data)
{
    struct mandelbrot_data *d = (struct mandelbrot_data *)data;
    uint64_t sum = 0;

    for (long i = 0; i < d->n * d->n; i++)
        sum = sum * 31 + (uint64_t)d->pixel[i];
    return (double)(sum >> 11);
}

KERNEL(mandelbrot) = {"mandelbrot", "a picture of the Mandelbrot set; size: rows and columns",
                      1000,         60,
                      20000,        prepare,
                      reset,        run,
                      check,        result,
                      release};
