/* SPDX-License-Identifier: MIT */
/*
 * A fiber's wait, with one worker: the root submits a task to a group and waits for the group, again and again. It is
 * suspended, the worker runs the task, and the root resumes. Less what the task itself costs: as many submitted in a row
 * and one wait, which is a measurement, too.
 */
#include "micro.h"

#include <wsfj.h>

#define TASKS 64 /* as many as the run queue takes, and more */

static void nothing(void *unused)
{
    (void)unused;
}

static int submit(ws_group *group, size_t n)
{
    int error = 0;

    for (size_t i = 0; i < n; i++)
        error |= ws_group_submit(group, nothing, NULL);
    return error | ws_group_wait(group);
}

/* Nanoseconds for each wait, or for each task of those in a row. */
static WS_TASK(int, measure, double *, waits, double *, tasks, size_t, n)
{
    ws_group group = WS_GROUP_INIT;
    int error = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t start = sample_now(), middle;

        error |= submit(&group, TASKS);
        middle = sample_now();
        for (size_t k = 0; k < TASKS; k++)
            error |= submit(&group, 1);
        if (waits)
            waits[i] = ((double)(sample_now() - middle) - (double)(middle - start)) / (TASKS - 1);
        if (tasks)
            tasks[i] = (double)(middle - start) / TASKS;
    }
    return error;
}

static enum micro_end run(double *waits, double *tasks, size_t n, const char **why)
{
    int error, wrong = 0;

    *why = micro_start(1, WS_SPIN_DEFAULT);
    if (*why)
        return MICRO_FAILED;
    error = ws_run(measure, &wrong, waits, tasks, n);
    *why = error || wrong ? ws_strerror(error ? error : wrong) : NULL;
    return *why ? MICRO_FAILED : MICRO_DONE;
}

enum micro_end micro_suspend(double *values, size_t n, const char **why)
{
    return run(values, NULL, n, why);
}

enum micro_end micro_detached(double *values, size_t n, const char **why)
{
    return run(NULL, values, n, why);
}
