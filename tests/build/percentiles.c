/* SPDX-License-Identifier: MIT */
/*
 * The laboratory's percentiles and comparisons on known values (bench/harness/sample.h). lab-options.sh compiles and
 * runs it.
 * Catches: a rank that is off by one; a percentile of too few values; an interval that noise leaves too often.
 */
#include "harness/sample.h"

#include <math.h>
#include <stdio.h>

#define VALUES_MOST 3000

static int checks, failures;

static void expect(int holds, const char *what, size_t n)
{
    checks++;
    if (holds)
        return;
    failures++;
    printf("failed: %s, n = %zu\n", what, n);
}

/* The least rank of n that at least `parts` of `per` values do not exceed. */
static double rank(size_t n, size_t parts, size_t per)
{
    size_t k = 1;

    while (k * per < parts * n)
        k++;
    return (double)k;
}

/* The values 1 to n in another order: a percentile is its own rank. */
static void check_ranks(size_t n)
{
    static double values[VALUES_MOST];
    struct sample s;

    for (size_t i = 0; i < n; i++)
        values[i] = (double)((i % 2 ? i / 2 : n - 1 - i / 2) + 1);
    s = sample_of(values, n);
    expect(s.min == 1 && s.max == (double)n, "the least and the greatest", n);
    expect(s.median == (double)(n + 1) / 2, "the median", n);
    expect(s.p10 == rank(n, 1, 10), "one in ten below", n);
    expect(s.p90 == rank(n, 9, 10), "one in ten above", n);
    expect(n < 100 ? isnan(s.p99) : s.p99 == rank(n, 99, 100), "one in a hundred above", n);
    expect(n < 1000 ? isnan(s.p999) : s.p999 == rank(n, 999, 1000), "one in a thousand above", n);
}

/* b is 1, 2, 3 ... times a, so that the interval's ends are their own ranks. */
static struct sample_ratio compare_ranks(size_t n)
{
    double a[SAMPLE_ROUNDS_MOST], b[SAMPLE_ROUNDS_MOST];

    for (size_t i = 0; i < n; i++) {
        a[i] = 2 + (double)(i % 3);
        b[i] = a[i] * (double)(n - i);
    }
    return sample_compare(a, b, n);
}

/* Two series that take turns at being 10 % above the other. */
static struct sample_ratio compare_noise(size_t n)
{
    double a[SAMPLE_ROUNDS_MOST], b[SAMPLE_ROUNDS_MOST];

    for (size_t i = 0; i < n; i++) {
        a[i] = i % 2 ? 110 : 100;
        b[i] = i % 2 ? 100 : 110;
    }
    return sample_compare(a, b, n);
}

int main(void)
{
    /* Tables of the sign test: at 99.9 %, of n rounds as many are outside at each end, plus one. */
    static const size_t known[][2] = {{11, 1}, {15, 2}, {21, 3}, {31, 7}, {41, 10}, {101, 34}};

    for (size_t n = 1; n <= 2100; n += n < 120 || n > 900 ? 1 : 37)
        check_ranks(n);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct sample_ratio r = compare_ranks(known[i][0]);

        expect(fabs(r.least - (double)known[i][1]) < 1e-9, "the interval's lower end", known[i][0]);
        expect(fabs(r.most - (double)(known[i][0] + 1 - known[i][1])) < 1e-9, "its upper end", known[i][0]);
        expect(fabs(r.median - (double)(known[i][0] + 1) / 2) < 1e-9, "the median ratio", known[i][0]);
        r = compare_noise(known[i][0]);
        expect(r.least < 1 && r.most > 1, "noise is noise", known[i][0]);
    }
    expect(compare_ranks(10).least == 0 && isinf(compare_ranks(10).most), "too few rounds tell nothing", 10);
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
