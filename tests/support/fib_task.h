/* SPDX-License-Identifier: MIT */
/* The task alone, for programs without Check. Neighbour: fib.h. */
#ifndef TESTS_SUPPORT_FIB_TASK_H
#define TESTS_SUPPORT_FIB_TASK_H

#include <wsfj.h>

static WS_TASK(long, fib, long, n)
{
    long x = 0, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

#endif
