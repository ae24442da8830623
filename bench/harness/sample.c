/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <stdlib.h>
#include <time.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct sample sample_of(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    return (struct sample){
        .median = (values[(n - 1) / 2] + values[n / 2]) / 2,
        .min = values[0],
        .max = values[n - 1],
        .p10 = values[(n - 1) / 10],
        .p90 = values[n - 1 - (n - 1) / 10],
        .p99 = values[n - 1 - (n - 1) / 100],
        .p999 = values[n - 1 - (n - 1) / 1000],
    };
}

uint64_t sample_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
