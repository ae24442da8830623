/* SPDX-License-Identifier: MIT */
/* The clock, and what is reported of repeated measurements. Used by wsfj-bench, wsfj-micro and wsfj-lab. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

struct sample {
    double median, min, max;
    double p10, p90;  /* one in ten lies below, one in ten above */
    double p99, p999; /* one in a hundred, one in a thousand lies above; NAN if n has not as many values */
};

/* Sorts the n >= 1 values. Percentiles are by nearest rank: the least value that as many per cent do not exceed. */
struct sample sample_of(double *values, size_t n);

/* How b compares with a, measured in turn: the median of b[i] / a[i], and between which ratios the true median lies, at
 * 99.9 % (by the ranks alone, whatever the distribution). With fewer than 11 rounds nothing is known: 0 and INFINITY. */
struct sample_ratio {
    double median, least, most;
};
struct sample_ratio sample_compare(const double *a, const double *b, size_t n);

/* Rounds that sample_compare() takes; it compares the first ones of more. */
#define SAMPLE_ROUNDS_MOST 256

/* Nanoseconds of CLOCK_MONOTONIC, the same on every CPU. */
uint64_t sample_now(void);

#endif
