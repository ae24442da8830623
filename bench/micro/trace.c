/* SPDX-License-Identifier: MIT */
/* The cost of a trace: detached tasks of a microsecond, with WSFJ_TRACE and without it in turn. One worker. */
#include "micro.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wsfj.h>

#define TASKS 20000
#define TASK_NS 1000

static uint64_t turns; /* of the loop below that take TASK_NS */

static void work(void *arg)
{
    (void)arg;
    for (uint64_t i = turns; i > 0; i--)
        __asm__ volatile("" : : "r"(i));
}

static void calibrate(void)
{
    uint64_t best = UINT64_MAX;

    turns = 1000000;
    for (int i = 0; i < 5; i++) {
        uint64_t start = sample_now(), ns;

        work(NULL);
        ns = sample_now() - start;
        best = ns < best ? ns : best;
    }
    turns = turns * TASK_NS / (best ? best : 1);
}

static WS_TASK_VOID(submit_all, int, unused)
{
    ws_group group = WS_GROUP_INIT;

    (void)unused;
    for (int i = 0; i < TASKS; i++)
        (void)ws_group_submit(&group, work, NULL);
    (void)ws_group_wait(&group);
}

/* Nanoseconds for all tasks; 0 after an error. Making and writing the file does not count. */
static double timed(const char *file)
{
    uint64_t start, ns = 0;

    if (file)
        setenv("WSFJ_TRACE", file, 1);
    else
        unsetenv("WSFJ_TRACE");
    if (micro_start(1, WS_SPIN_DEFAULT))
        return 0;
    if (ws_run(submit_all, 0) == 0) { /* once, to touch the memory */
        start = sample_now();
        if (ws_run(submit_all, 0) == 0)
            ns = sample_now() - start;
    }
    return ws_fini() == 0 ? (double)ns : 0;
}

enum micro_end micro_trace(double *values, size_t n, const char **why)
{
    char folder[] = "/tmp/wsfj-micro-XXXXXX", file[64];

    if (!mkdtemp(folder)) {
        *why = "no folder for the trace";
        return MICRO_FAILED;
    }
    snprintf(file, sizeof file, "%s/%%p.json", folder);
    *why = NULL;
    calibrate();
    for (size_t i = 0; i < n && !*why; i++) {
        double plain, traced;

        plain = timed(NULL);
        traced = timed(file);
        values[i] = plain > 0 ? traced / plain : 0;
        if (plain <= 0 || traced <= 0)
            *why = "the runtime did not start, run or stop";
        snprintf(file, sizeof file, i == 0 ? "%s/%ld.json" : "%s/%ld.%zu.json", folder, (long)getpid(), i + 1);
        (void)unlink(file);
        snprintf(file, sizeof file, "%s/%%p.json", folder);
    }
    (void)rmdir(folder);
    return *why ? MICRO_FAILED : MICRO_DONE;
}
