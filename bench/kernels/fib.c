/* SPDX-License-Identifier: MIT */
/* fib: two calls and an addition for each task. Spawn cost only. */
#include "harness/kernel.h"

#include <stdlib.h>

static WS_TASK(long, fib, long, n)
{
    if (n < 2) {
        /* gcc would otherwise compute shared subcalls once: every call must be made, in the elision too. */
        __asm__ volatile("");
        return n;
    }
    long x, y;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

struct fib_data {
    long n, result;
};

static void *prepare(long size)
{
    struct fib_data *d = (struct fib_data *)calloc(1, sizeof *d);

    if (d)
        d->n = size;
    return d;
}

static int run(void *data)
{
    struct fib_data *d = (struct fib_data *)data;

    return ws_run(fib, &d->result, d->n);
}

static int check(void *data)
{
    struct fib_data *d = (struct fib_data *)data;
    long a = 0, b = 1;

    for (long i = 0; i < d->n; i++) {
        long c = a + b;

        a = b;
        b = c;
    }
    return d->result == a;
}

static double result(void *data)
{
    return (double)((struct fib_data *)data)->result;
}

KERNEL(fib) = {
    "fib", "the n-th Fibonacci number by naive recursion; size: n", 39, 20, 50, prepare, NULL, run, check, result,
    free};
