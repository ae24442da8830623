/* SPDX-License-Identifier: MIT */
#include "plugin.h"

#include <errno.h>
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

static int run_fib(long n, long *result)
{
    if (fib(5) != 5) /* outside any region */
        return EINVAL;
    return ws_run(fib, result, n);
}

static int init(size_t workers, size_t stack_size)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.stack_size = stack_size;
    return ws_init(&config);
}

static void count(void *counter)
{
    (void)__atomic_fetch_add((long *)counter, 1, __ATOMIC_RELAXED);
}

static int submit(long n)
{
    ws_group group = WS_GROUP_INIT;
    long counter = 0;
    int error = 0;

    for (long i = 0; i < n && !error; i++)
        error = ws_group_submit(&group, count, &counter);
    if (ws_group_wait(&group) != 0 || error)
        return error ? error : EBUSY;
    return counter == n ? 0 : EINVAL;
}

/* Not a tail call, and a frame that is touched. */
static WS_TASK(long, bottomless, long, n)
{
    volatile char room[256];

    if (n < 0)
        return 0;
    room[0] = (char)n;
    return ws_call(bottomless, n + 1) + room[0];
}

static int overflow(void)
{
    long result;

    return ws_run(bottomless, &result, 0L);
}

const struct plugin plugin = {init, ws_fini, ws_num_workers, ws_worker_id, run_fib, submit, overflow};
