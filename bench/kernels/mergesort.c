/* SPDX-License-Identifier: MIT */
/*
 * mergesort: both halves in parallel, then a serial merge, which bounds the speed-up to about log2(n) / 2. The plain
 * divide and conquer of the textbooks (Cormen, Leiserson, Rivest and Stein); cilksort.c merges in parallel.
 */
#include "common.h"
#include "harness/kernel.h"

#define SPAWN_ABOVE 1024
#define INSERTION_UP_TO 32

/* Merges the sorted a[0..half) and a[half..n); `scratch` has room for the first. */
static void merge(long *a, long half, long n, long *scratch)
{
    const long *left = scratch, *left_end = scratch + half, *right = a + half, *right_end = a + n;

    memcpy(scratch, a, (size_t)half * sizeof(long));
    while (left < left_end && right < right_end)
        *a++ = *right < *left ? *right++ : *left++;
    memcpy(a, left, (size_t)(left_end - left) * sizeof(long));
}

static void sort_serial(long *a, long n, long *scratch)
{
    if (n <= INSERTION_UP_TO) {
        kernel_insertion_sort(a, n);
        return;
    }
    sort_serial(a, n / 2, scratch);
    sort_serial(a + n / 2, n - n / 2, scratch + n / 2);
    merge(a, n / 2, n, scratch);
}

static WS_TASK_VOID(sort, long *, a, long, n, long *, scratch)
{
    if (n <= SPAWN_ABOVE) {
        sort_serial(a, n, scratch);
        return;
    }
    ws_spawn(sort, a, n / 2, scratch);
    ws_call(sort, a + n / 2, n - n / 2, scratch + n / 2);
    ws_sync();
    merge(a, n / 2, n, scratch);
}

static int run(void *data)
{
    struct kernel_sort *d = (struct kernel_sort *)data;

    return ws_run(sort, d->array, d->n, d->scratch);
}

KERNEL(mergesort) = {"mergesort",        "merge sort with a serial merge; size: how many longs",
                     1L << 22,           20000,
                     1L << 27,           kernel_sort_prepare,
                     kernel_sort_reset,  run,
                     kernel_sort_check,  kernel_sort_result,
                     kernel_sort_release};
