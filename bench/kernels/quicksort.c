/* SPDX-License-Identifier: MIT */
/*
 * quicksort: a serial partition, then both sides in parallel. Sides of random length; nothing runs beside the first
 * partitions, which bounds the speed-up to the order of log2(n). The algorithm of Hoare 1962.
 */
#include "common.h"
#include "harness/kernel.h"

#define SPAWN_ABOVE 1024

static WS_TASK_VOID(sort, long *, a, long, n)
{
    if (n <= SPAWN_ABOVE) {
        kernel_quicksort(a, n);
        return;
    }
    long left = kernel_partition(a, n);

    ws_spawn(sort, a, left);
    ws_call(sort, a + left, n - left);
    ws_sync();
}

static int run(void *data)
{
    struct kernel_sort *d = (struct kernel_sort *)data;

    return ws_run(sort, d->array, d->n);
}

KERNEL(quicksort) = {"quicksort",        "quicksort with a serial partition; size: how many longs",
                     1L << 22,           20000,
                     1L << 27,           kernel_sort_prepare,
                     kernel_sort_reset,  run,
                     kernel_sort_check,  kernel_sort_result,
                     kernel_sort_release};
