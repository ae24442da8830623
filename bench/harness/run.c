/* SPDX-License-Identifier: MIT */
#include "run.h"

#include "sample.h"

#include <stdio.h>

void run_timed(const struct kernel *kernel, void *data, double *seconds, char *why)
{
    /* Read at the call: clang has moved a run that it could analyse (a pure elision) past the clock. */
    int (*volatile run)(void *) = kernel->run;
    uint64_t start;
    int error;

    if (kernel->reset)
        kernel->reset(data);
    start = sample_now();
    error = run(data);
    *seconds = (double)(sample_now() - start) * 1e-9;
    if (error)
        snprintf(why, RUN_WHY, "ws_run: %s", ws_strerror(error));
}

double run_result(const struct kernel *kernel, void *data, char *why)
{
    if (!why[0] && !kernel->check(data))
        snprintf(why, RUN_WHY, "wrong result");
    return why[0] ? 0 : kernel->result(data);
}

void run_start_workers(size_t workers, char *why)
{
    ws_config config;
    int error;

    ws_config_default(&config);
    config.num_workers = workers;
    error = ws_init(&config);
    if (error)
        snprintf(why, RUN_WHY, "ws_init: %s", ws_strerror(error));
    else if (ws_num_workers() != workers)
        snprintf(why, RUN_WHY, "ws_init: %zu workers instead of %zu", ws_num_workers(), workers);
}

void run_stop_workers(char *why)
{
    int error = ws_fini();

    if (error && !why[0])
        snprintf(why, RUN_WHY, "ws_fini: %s", ws_strerror(error));
}
