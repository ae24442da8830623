/* SPDX-License-Identifier: MIT */
#include "plugin.h"

#include "../support/fib_task.h"
#include "bottomless.h"

#include <errno.h>
#include <wsfj.h>

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

static int call(void (*fn)(void *))
{
    ws_group group = WS_GROUP_INIT;
    int error = ws_group_submit(&group, fn, NULL);

    return error ? error : ws_group_wait(&group);
}

const struct plugin plugin = {init, ws_fini, ws_num_workers, ws_worker_id, run_fib, submit, call, run_bottomless};
