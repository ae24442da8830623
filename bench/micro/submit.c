/* SPDX-License-Identifier: MIT */
/* Detached tasks: the throughput, and the time from ws_submit() to the start. Two workers, one producer. */
#include "micro.h"

#include <wsfj.h>

/* Tasks for one value of the throughput. */
#define BATCH 100000

static ws_group group;

static void empty(void *arg)
{
    (void)arg;
}

static void submit_batch(void *arg)
{
    (void)arg;
    for (int i = 0; i < BATCH; i++)
        (void)ws_group_submit(&group, empty, NULL);
}

static enum micro_end throughput(double *values, size_t n, int is_foreign, const char **why)
{
    *why = micro_start(2, WS_SPIN_DEFAULT);
    for (size_t i = 0; i < n && !*why; i++) {
        uint64_t start = sample_now();

        if (is_foreign)
            submit_batch(NULL);
        else if (ws_group_submit(&group, submit_batch, NULL))
            *why = "ws_group_submit failed";
        if (ws_group_wait(&group))
            *why = "ws_group_wait failed";
        values[i] = (double)(sample_now() - start) / BATCH;
    }
    return *why ? MICRO_FAILED : MICRO_DONE;
}

enum micro_end micro_submit(double *values, size_t n, const char **why)
{
    return throughput(values, n, 0, why);
}

enum micro_end micro_submit_foreign(double *values, size_t n, const char **why)
{
    return throughput(values, n, 1, why);
}

static void take_time(void *arg)
{
    uint64_t *started = arg;

    *started = sample_now();
}

/* One task at a time from a foreign thread; the workers search in between. */
enum micro_end micro_submit_start(double *values, size_t n, const char **why)
{
    *why = micro_start(2, WS_SPIN_DEFAULT);
    for (size_t i = 0; i < n && !*why; i++) {
        uint64_t started, submitted = sample_now();

        if (ws_group_submit(&group, take_time, &started) || ws_group_wait(&group))
            *why = "a group failed";
        else
            values[i] = (double)(started - submitted);
    }
    return *why ? MICRO_FAILED : MICRO_DONE;
}
