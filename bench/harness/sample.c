/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The value that one in `per` of the sorted values exceeds. */
static double exceeded_by(const double *values, size_t n, size_t per)
{
    return values[n - 1 - n / per];
}

struct sample sample_of(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    return (struct sample){
        .median = (values[(n - 1) / 2] + values[n / 2]) / 2,
        .min = values[0],
        .max = values[n - 1],
        .p10 = values[(n - 1) / 10],
        .p90 = exceeded_by(values, n, 10),
        .p99 = n < 100 ? NAN : exceeded_by(values, n, 100),
        .p999 = n < 1000 ? NAN : exceeded_by(values, n, 1000),
    };
}

/* How many of n values may lie below an interval's end: the most such that as many or fewer heads of n fair coins have a
 * probability of at most half in a thousand, plus one. 0: even no head at all is too likely. */
static size_t ranks_outside(size_t n)
{
    double exactly = 1, at_most = 0;
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        exactly /= 2;
    while ((at_most += exactly) <= 0.0005 && k < n) {
        exactly *= (double)(n - k) / (double)(k + 1);
        k++;
    }
    return k;
}

struct sample_ratio sample_compare(const double *a, const double *b, size_t n)
{
    double ratios[SAMPLE_ROUNDS_MOST];
    size_t k;

    n = n < SAMPLE_ROUNDS_MOST ? n : SAMPLE_ROUNDS_MOST;
    k = ranks_outside(n);
    for (size_t i = 0; i < n; i++)
        ratios[i] = b[i] / a[i];

    double median = sample_of(ratios, n).median;

    return (struct sample_ratio){median, k ? ratios[k - 1] : 0, k ? ratios[n - k] : INFINITY};
}

uint64_t sample_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
