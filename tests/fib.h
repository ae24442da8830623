/* SPDX-License-Identifier: MIT */
/* Fibonacci numbers: many tiny tasks, where a test needs just some. */
#ifndef TESTS_FIB_H
#define TESTS_FIB_H

#include <check.h>
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

static inline long serial_fib(long n)
{
    return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2);
}

static inline void check_fib(long n)
{
    long result = -1;

    ck_assert_int_eq(ws_run(fib, &result, n), 0);
    ck_assert_int_eq(result, serial_fib(n));
}

#endif
