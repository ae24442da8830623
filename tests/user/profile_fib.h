/* SPDX-License-Identifier: MIT */
/* A task that does nothing and Fibonacci's numbers, profiled. */
#ifndef TESTS_USER_PROFILE_FIB_H
#define TESTS_USER_PROFILE_FIB_H

#include "profile.h"

static WS_TASK_VOID(leaf)
{
}

enum { FIB_LINE = __LINE__ + 7 }; /* of its spawn */
static WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static inline int run_fib(long n)
{
    long r = -1, a = 0, b = 1;
    int error = ws_run(fib, &r, n);

    for (long i = 0; i < n; i++) {
        long c = a + b;

        a = b;
        b = c;
    }
    return error || r != a;
}

static inline double number(long n) /* of Fibonacci */
{
    return n < 2 ? (double)n : number(n - 1) + number(n - 2);
}

#endif
