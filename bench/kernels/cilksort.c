/* SPDX-License-Identifier: MIT */
/*
 * cilksort: merge sort in quarters with a parallel merge. Two kinds of tasks, three syncs, much parallelism.
 * The sort of the Cilk-5 distribution (Frigo, Leiserson and Randall 1998), merge after Akl and Santoro 1987.
 */
#include "common.h"
#include "harness/kernel.h"

#define QUICKSORT_UP_TO 2048
#define SERIAL_MERGE_UP_TO 2048

static void merge_serial(const long *a, long na, const long *b, long nb, long *to)
{
    const long *a_end = a + na, *b_end = b + nb;

    while (a < a_end && b < b_end)
        *to++ = *b < *a ? *b++ : *a++;
    memcpy(to, a, (size_t)(a_end - a) * sizeof(long));
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(long));
}

/* How many numbers of the sorted a[0..n) are less than x. */
static long count_less(const long *a, long n, long x)
{
    long low = 0;

    while (low < n) {
        long middle = low + (n - low) / 2;

        if (a[middle] < x)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Cuts the longer run in its middle and the other where the middle's number belongs. */
static WS_TASK_VOID(merge, const long *, a, long, na, const long *, b, long, nb, long *, to)
{
    if (na + nb <= SERIAL_MERGE_UP_TO) {
        merge_serial(a, na, b, nb, to);
        return;
    }
    if (na < nb) {
        const long *c = a;
        long nc = na;

        a = b;
        na = nb;
        b = c;
        nb = nc;
    }
    long a_cut = na / 2, b_cut = count_less(b, nb, a[a_cut]);

    ws_spawn(merge, a, a_cut, b, b_cut, to);
    ws_call(merge, a + a_cut, na - a_cut, b + b_cut, nb - b_cut, to + a_cut + b_cut);
    ws_sync();
}

static WS_TASK_VOID(sort, long *, a, long, n, long *, scratch)
{
    if (n <= QUICKSORT_UP_TO) {
        kernel_quicksort(a, n);
        return;
    }
    long q = n / 4, half = 2 * q;

    ws_spawn(sort, a, q, scratch);
    ws_spawn(sort, a + q, q, scratch + q);
    ws_spawn(sort, a + half, q, scratch + half);
    ws_call(sort, a + half + q, n - half - q, scratch + half + q);
    ws_sync();
    ws_spawn(merge, a, q, a + q, q, scratch);
    ws_call(merge, a + half, q, a + half + q, n - half - q, scratch + half);
    ws_sync();
    ws_call(merge, scratch, half, scratch + half, n - half, a);
}

static int run(void *data)
{
    struct kernel_sort *d = (struct kernel_sort *)data;

    return ws_run(sort, d->array, d->n, d->scratch);
}

KERNEL(cilksort) = {"cilksort",         "merge sort with a parallel merge; size: how many longs",
                    1L << 22,           20000,
                    1L << 27,           kernel_sort_prepare,
                    kernel_sort_reset,  run,
                    kernel_sort_check,  kernel_sort_result,
                    kernel_sort_release};
