/* SPDX-License-Identifier: MIT */
/*
 * fft: complex Fourier transform in place. A parallel loop of butterflies, then a spawn for each quarter; bound by
 * memory at the top of the recursion and by arithmetic at the bottom.
 * Radix 4, decimation in frequency (Gentleman and Sande 1966, "Fast Fourier Transforms: for Fun and Profit"), results
 * in bit-reversed order.
 */
#include "common.h"
#include "harness/kernel.h"

#include <math.h>

#define PI 3.14159265358979323846
#define LEAF 1024 /* points that a task transforms alone, 16 KiB, and butterflies of a task in a loop */

typedef struct {
    double re, im;
} number;

static inline number add(number x, number y)
{
    number z = {x.re + y.re, x.im + y.im};

    return z;
}

static inline number subtract(number x, number y)
{
    number z = {x.re - y.re, x.im - y.im};

    return z;
}

static inline number multiply(number x, number y)
{
    number z = {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};

    return z;
}

/* Butterflies `first` to `last` - 1 of n points with the quarter q = n / 4. roots[n / 2 + j] is exp(-2 pi i j / n). */
static void butterflies_serial(number *a, const number *roots, long q, long first, long last)
{
    for (long j = first; j < last; j++) {
        number w = roots[2 * q + j], w2 = roots[q + j];
        number even = add(a[j], a[j + 2 * q]), even_difference = subtract(a[j], a[j + 2 * q]);
        number odd = add(a[j + q], a[j + 3 * q]), odd_difference = subtract(a[j + q], a[j + 3 * q]);
        number turned = {odd_difference.im, -odd_difference.re}; /* times -i */

        a[j] = add(even, odd);
        a[j + q] = multiply(subtract(even, odd), w2);
        a[j + 2 * q] = multiply(add(even_difference, turned), w);
        a[j + 3 * q] = multiply(subtract(even_difference, turned), multiply(w, w2));
    }
}

static WS_TASK_VOID(butterflies, number *, a, const number *, roots, long, q, long, first, long, last)
{
    if (last - first <= LEAF) {
        butterflies_serial(a, roots, q, first, last);
        return;
    }
    long middle = first + (last - first) / 2;

    ws_spawn(butterflies, a, roots, q, first, middle);
    ws_call(butterflies, a, roots, q, middle, last);
    ws_sync();
}

static void transform_serial(number *a, const number *roots, long n)
{
    long m = n;

    for (; m >= 4; m /= 4)
        for (long i = 0; i < n; i += m)
            butterflies_serial(a + i, roots, m / 4, 0, m / 4);
    for (long i = 0; m == 2 && i < n; i += 2) {
        number difference = subtract(a[i], a[i + 1]);

        a[i] = add(a[i], a[i + 1]);
        a[i + 1] = difference;
    }
}

static WS_TASK_VOID(transform, number *, a, const number *, roots, long, n)
{
    if (n <= LEAF) {
        transform_serial(a, roots, n);
        return;
    }
    long q = n / 4;

    ws_call(butterflies, a, roots, q, 0, q);
    ws_spawn(transform, a, roots, q);
    ws_spawn(transform, a + q, roots, q);
    ws_spawn(transform, a + 2 * q, roots, q);
    ws_call(transform, a + 3 * q, roots, q);
    ws_sync();
}

struct fft_data {
    int log;
    long n;
    number *a, *roots;
};

/* exp(pi i turns / n) */
static number unit(long turns, long n)
{
    double angle = PI * (double)(turns % (2 * n)) / (double)n;
    number z = {cos(angle), sin(angle)};

    return z;
}

/* Twice the frequency of the input. It is odd: a tone between two frequencies of the transform is seen in all. */
static long doubled_tone(long n)
{
    return n / 3 * 2 + 1;
}

/* Writes the tone, by rows: the first row, turned by the first number of each. */
static void reset(void *data)
{
    struct fft_data *d = (struct fft_data *)data;
    long row = 1L << d->log / 2, tone = doubled_tone(d->n);

    for (long j = 0; j < row; j++)
        d->a[j] = unit(tone * j, d->n);
    for (long i = row; i < d->n; i += row) {
        number turn = unit(tone * i, d->n);

        for (long j = 0; j < row; j++)
            d->a[i + j] = multiply(d->a[j], turn);
    }
}

static void release(void *data)
{
    struct fft_data *d = (struct fft_data *)data;

    free(d->a);
    free(d);
}

static void *prepare(long size)
{
    struct fft_data *d = (struct fft_data *)calloc(1, sizeof *d);

    if (!d)
        return NULL;
    while (1L << (d->log + 1) <= size)
        d->log++;
    d->n = 1L << d->log;
    d->a = (number *)malloc(2 * (size_t)d->n * sizeof *d->a);
    if (!d->a) {
        free(d);
        return NULL;
    }
    d->roots = d->a + d->n;
    for (long j = 0; j < d->n / 2; j++)
        d->roots[d->n / 2 + j] = unit(-2 * j, d->n);
    for (long i = d->n / 2 - 1; i > 0; i--)
        d->roots[i] = d->roots[2 * i];
    reset(d);
    return d;
}

static int run(void *data)
{
    struct fft_data *d = (struct fft_data *)data;

    return ws_run(transform, d->a, d->roots, d->n);
}

static long reverse_bits(long i, int bits)
{
    long reversed = 0;

    for (int bit = 0; bit < bits; bit++)
        reversed |= (i >> bit & 1) << (bits - 1 - bit);
    return reversed;
}

/* A geometric sum: the result for frequency k is 1 + i cot(pi (tone - k) / n). The cotangent is tried at every 17th. */
static int check(void *data)
{
    struct fft_data *d = (struct fft_data *)data;
    double tolerance = 1e-12 * (double)d->n;
    long wrong = 0;

    for (long i = 0; i < d->n; i++)
        wrong += !(fabs(d->a[i].re - 1) <= tolerance);
    for (long i = 0; i < d->n; i += 17) {
        long distance = doubled_tone(d->n) - 2 * reverse_bits(i, d->log);

        wrong += !(fabs(d->a[i].im - 1 / tan(PI * (double)distance / (double)(2 * d->n))) <= tolerance);
    }
    return wrong == 0;
}

/* A weighted sum of squares, rounded: a compiler may fuse multiplications and additions in one variant only. */
static double result(void *data)
{
    struct fft_data *d = (struct fft_data *)data;
    double sum = 0;

    for (long i = 0; i < d->n; i++)
        sum += (d->a[i].re * d->a[i].re + d->a[i].im * d->a[i].im) * (double)(i % 7 + 1);
    return (double)(float)sum;
}

KERNEL(fft) = {"fft",    "complex Fourier transform; size: points, rounded down to a power of two",
               1L << 24, 1L << 16,
               1L << 26, prepare,
               reset,    run,
               check,    result,
               release};
