/* SPDX-License-Identifier: MIT */
/* The clock, and the statistics of repeated measurements. For wsfj-bench and wsfj-micro. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

struct sample {
    double median, min, max;
    double p10, p90;  /* one value in ten is below, one in ten above */
    double p99, p999; /* one value in a hundred, one in a thousand is above */
};

/* Sorts the n >= 1 values. */
struct sample sample_of(double *values, size_t n);

/* Nanoseconds of CLOCK_MONOTONIC, the same on every CPU. */
uint64_t sample_now(void);

#endif
