/* SPDX-License-Identifier: MIT */
/*
 * skynet: a tree of tasks with ten children each; every leaf returns its number. Spawn cost only, in a loop. The
 * million-coroutine benchmark of Alexander Temerev (2016), with the sum passed up by return values.
 */
#include "common.h"
#include "harness/kernel.h"

#define CHILDREN 10

static WS_TASK(long, skynet, long, number, long, leaves)
{
    long sums[CHILDREN];

    if (leaves == 1) {
        /* gcc would otherwise inline the last levels: every call must be made, also in the elision. */
        __asm__ volatile("");
        return number;
    }
    leaves /= CHILDREN;
    for (int i = 0; i < CHILDREN; i++)
        ws_spawn(skynet, &sums[i], number + i * leaves, leaves);
    ws_sync();
    return kernel_sum(sums, CHILDREN);
}

struct skynet_data {
    long leaves, result;
};

static void *prepare(long size)
{
    struct skynet_data *d = (struct skynet_data *)calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->leaves = 1;
    while (d->leaves <= size / CHILDREN)
        d->leaves *= CHILDREN;
    return d;
}

static int run(void *data)
{
    struct skynet_data *d = (struct skynet_data *)data;

    d->result = -1;
    return ws_run(skynet, &d->result, 0L, d->leaves);
}

static int check(void *data)
{
    struct skynet_data *d = (struct skynet_data *)data;

    return d->result == (d->leaves - 1) * d->leaves / 2;
}

static double result(void *data)
{
    return (double)((struct skynet_data *)data)->result;
}

KERNEL(skynet) = {"skynet",   "sum over the leaves of a 10-ary tree; size: leaves, rounded down to a power of ten",
                  100000000,  10000,
                  1000000000, prepare,
                  NULL,       run,
                  check,      result,
                  free};
