/* SPDX-License-Identifier: MIT */
/*
 * triangular: for each number of a random sequence, how many larger ones stand before it. Iteration i takes i steps: equal
 * slices of the range are unequal shares of the work. Counted so, Kendall's tau (1938) costs n^2 / 2 comparisons.
 */
#include "common.h"
#include "harness/kernel.h"

static WS_LOOP(count, long, i, const int *, a, int *, larger)
{
    int n = 0, here = a[i];

    for (long j = 0; j < i; j++)
        n += a[j] > here;
    larger[i] = n;
}

struct triangular_data {
    long n;
    int *a, *larger;
};

static void release(void *data)
{
    struct triangular_data *d = (struct triangular_data *)data;

    free(d->a);
    free(d->larger);
    free(d);
}

static void *prepare(long size)
{
    struct triangular_data *d = (struct triangular_data *)calloc(1, sizeof *d);
    uint64_t seed = 1;

    if (!d)
        return NULL;
    d->n = size;
    d->a = (int *)malloc((size_t)size * sizeof(int));
    d->larger = (int *)malloc((size_t)size * sizeof(int));
    if (!d->a || !d->larger) {
        release(d);
        return NULL;
    }
    for (long i = 0; i < size; i++)
        d->a[i] = (int)(kernel_random(&seed) % (uint64_t)size);
    return d;
}

static void reset(void *data)
{
    struct triangular_data *d = (struct triangular_data *)data;

    memset(d->larger, -1, (size_t)d->n * sizeof(int));
}

static int run(void *data)
{
    struct triangular_data *d = (struct triangular_data *)data;

    return ws_for(count, 0, d->n, d->a, d->larger);
}

/* The same counts in n log n steps, by a tree of counters (Fenwick 1994). */
static int check(void *data)
{
    struct triangular_data *d = (struct triangular_data *)data;
    int *seen = (int *)calloc((size_t)d->n + 1, sizeof(int));
    int is_right = seen != NULL;

    for (long i = 0; i < d->n && is_right; i++) {
        int smaller = 0; /* numbers before this one that are not larger */

        for (long k = d->a[i] + 1; k > 0; k &= k - 1)
            smaller += seen[k];
        for (long k = d->a[i] + 1; k <= d->n; k += k & -k)
            seen[k]++;
        is_right = d->larger[i] == i - smaller;
    }
    free(seen);
    return is_right;
}

static double result(void *data)
{
    struct triangular_data *d = (struct triangular_data *)data;
    uint64_t sum = 0;

    for (long i = 0; i < d->n; i++)
        sum = sum * 31 + (uint64_t)d->larger[i];
    return (double)(sum >> 11);
}

KERNEL(triangular) = {"triangular", "how many larger numbers stand before each; size: numbers",
                      50000,        2000,
                      1000000,      prepare,
                      reset,        run,
                      check,        result,
                      release};
