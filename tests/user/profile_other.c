/* SPDX-License-Identifier: MIT */
/* The file of profile_mixed.c that is compiled without WSFJ_PROFILE. */
#include "profile_other.h"

static WS_TASK_VOID(call, ws_function *, fn, void *, arg)
{
    fn(arg);
}

static WS_TASK_VOID(call_all, long, tasks, ws_function *, fn, void *, arg)
{
    for (long i = 0; i < tasks; i++)
        ws_spawn(call, fn, arg);
    ws_sync();
}

static WS_TASK(long, parallel_fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(parallel_fib, &x, n - 1);
    y = ws_call(parallel_fib, n - 2);
    ws_sync();
    return x + y;
}

int other_run(long tasks, void (*fn)(void *), void *arg)
{
    return ws_run(call_all, tasks, fn, arg);
}

long other_fib(long n)
{
    return parallel_fib(n);
}

int other_group_wait(ws_group *group)
{
    return ws_group_wait(group);
}

int other_group_submit(ws_group *group, void (*fn)(void *), void *arg)
{
    return ws_group_submit(group, fn, arg);
}
