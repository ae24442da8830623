/* SPDX-License-Identifier: MIT */
/* The cost of entering the runtime and leaving it: ws_run() of an empty task. */
#include "micro.h"

#include "harness/machine.h"

#include <stdbool.h>
#include <time.h>
#include <wsfj.h>

static WS_TASK_VOID(nothing)
{
}

static enum micro_end run(double *values, size_t n, long pause_ns, bool phase, const char **why)
{
    const struct timespec pause = {0, pause_ns};
    int error = 0;

    *why = micro_start(machine_cpus(), WS_SPIN_DEFAULT);
    if (!*why && phase && (error = ws_phase_begin()))
        *why = ws_strerror(error);
    for (size_t i = 0; i < n && !*why; i++) {
        if (pause_ns)
            nanosleep(&pause, NULL);

        uint64_t start = sample_now();

        error = ws_run(nothing);
        values[i] = (double)(sample_now() - start);
        if (error)
            *why = ws_strerror(error);
    }
    if (phase)
        (void)ws_phase_end();
    return *why ? MICRO_FAILED : MICRO_DONE;
}

enum micro_end micro_run_warm(double *values, size_t n, const char **why)
{
    return run(values, n, 0, false, why);
}

enum micro_end micro_run_phase(double *values, size_t n, const char **why)
{
    return run(values, n, 0, true, why);
}

enum micro_end micro_run_parked(double *values, size_t n, const char **why)
{
    return run(values, n, 2000000, false, why);
}
