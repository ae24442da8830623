/* SPDX-License-Identifier: MIT */
/* Tasks for Python: tasks.py runs them. */
#include <stdlib.h>
#include <wsfj.h>

static int is_prime(long n)
{
    if (n < 2)
        return 0;
    for (long d = 2; d <= n / d; d++)
        if (n % d == 0)
            return 0;
    return 1;
}

/* How many primes there are from `first` to `end`, without `end`. */
static WS_TASK(long, count, long, first, long, end)
{
    long low, high;

    if (end - first < 1000) {
        low = 0;
        for (long n = first; n < end; n++)
            low += is_prime(n);
        return low;
    }
    ws_spawn(count, &low, first, first + (end - first) / 2);
    high = ws_call(count, first + (end - first) / 2, end);
    ws_sync();
    return low + high;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void swap(double *a, double *b)
{
    double x = *a;
    *a = *b;
    *b = x;
}

/* Quicksort: what is below the pivot in parallel with what is above it. */
static WS_TASK_VOID(sort, double *, a, size_t, n)
{
    size_t below = 0, i = 0, above = n;

    if (n < 1000) {
        qsort(a, n, sizeof *a, compare);
        return;
    }
    double pivot = a[n / 2];
    while (i < above) {
        if (a[i] < pivot)
            swap(&a[below++], &a[i++]);
        else if (a[i] > pivot)
            swap(&a[i], &a[--above]);
        else
            i++;
    }
    ws_spawn(sort, a, below);
    ws_call(sort, a + above, n - above);
    ws_sync();
}

/* What Python calls: from an ordinary thread, with the result's place first. */
int run_count(long *result, long first, long end);
int run_sort(double *a, size_t n);

int run_count(long *result, long first, long end)
{
    return ws_run(count, result, first, end);
}

int run_sort(double *a, size_t n)
{
    return ws_run(sort, a, n);
}
