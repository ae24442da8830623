/* SPDX-License-Identifier: MIT */
/* Fibonacci numbers: many tiny tasks, for tests that need some work. */
#ifndef TESTS_SUPPORT_FIB_H
#define TESTS_SUPPORT_FIB_H

#include "fib_task.h"

#include <check.h>

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
