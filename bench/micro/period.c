/* SPDX-License-Identifier: MIT */
/* Short regions with pauses between them: how soon a second worker helps, and what the pauses cost. */
#include "micro.h"

#include "harness/machine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <wsfj.h>

#define PERIOD_NS 1000000
#define LEAF_NS 2500u /* a region has four of them */
#define REGIONS 20    /* each sample is the mean of so many regions */
/* On a busy machine a woken worker may wait long for a processor. That is a value like any other, up to MICRO_WAIT_NS; the
 * measurement as a whole has this time. */
#define FIRST_NS UINT64_C(30000000000)

static void sleep_ns(long ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

static void spin_for(uint64_t ns)
{
    uint64_t end = sample_now() + ns;

    while (sample_now() < end)
        ;
}

static _Atomic uint64_t started;

static WS_TASK_VOID(child)
{
    atomic_store_explicit(&started, sample_now(), memory_order_release);
}

/* False if the child was not stolen in time. */
static WS_TASK(int, first)
{
    uint64_t end = sample_now() + MICRO_WAIT_NS;
    int stolen;

    ws_spawn(child);
    while (!(stolen = atomic_load_explicit(&started, memory_order_acquire) != 0) && sample_now() < end)
        ;
    ws_sync();
    return stolen;
}

static enum micro_end first_steal(double *values, size_t n, int hot, const char **why)
{
    static char too_few[128];
    uint64_t end = sample_now() + FIRST_NS;

    *why = micro_start(machine_cpus(), WS_SPIN_DEFAULT);
    if (*why)
        return MICRO_FAILED;
    if (hot)
        (void)ws_phase_begin();
    for (size_t i = 0; i < n && !*why;) {
        uint64_t start;
        int error, stolen = 0;

        sleep_ns(2 * PERIOD_NS);
        atomic_store(&started, 0);
        start = sample_now();
        error = ws_run(first, &stolen);
        if (error)
            *why = ws_strerror(error);
        else if (stolen)
            values[i++] = (double)(atomic_load(&started) - start);
        if (i < n && sample_now() > end) {
            snprintf(too_few, sizeof too_few, "other workers have started %zu of %zu children in %u s", i, n,
                     (unsigned)(FIRST_NS / 1000000000));
            *why = too_few;
        }
    }
    if (hot)
        (void)ws_phase_end();
    return *why ? MICRO_FAILED : MICRO_DONE;
}

enum micro_end micro_first_parked(double *values, size_t n, const char **why)
{
    return first_steal(values, n, 0, why);
}

enum micro_end micro_first_hot(double *values, size_t n, const char **why)
{
    return first_steal(values, n, 1, why);
}

static WS_TASK_VOID(leaf)
{
    spin_for(LEAF_NS);
}

static WS_TASK_VOID(region)
{
    for (int i = 0; i < 4; i++)
        ws_spawn(leaf);
    ws_sync();
}

static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double wakes(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    (void)ws_stats_get(&stats);
    return (double)stats.wakes;
}

/* What `read` counts in each region and the pause behind it. */
static enum micro_end periods(double *values, size_t n, int hot, double (*read)(void), const char **why)
{
    *why = micro_start(machine_cpus(), WS_SPIN_DEFAULT);
    if (*why)
        return MICRO_FAILED;
    if (hot)
        (void)ws_phase_begin();
    for (size_t i = 0; i < n && !*why; i++) {
        double before = read();

        for (int j = 0; j < REGIONS && !*why; j++) {
            int error = ws_run(region);

            if (error)
                *why = ws_strerror(error);
            sleep_ns(PERIOD_NS);
        }
        values[i] = (read() - before) / REGIONS;
    }
    if (hot)
        (void)ws_phase_end();
    return *why ? MICRO_FAILED : MICRO_DONE;
}

enum micro_end micro_period_cpu(double *values, size_t n, const char **why)
{
    return periods(values, n, 0, cpu_ns, why);
}

enum micro_end micro_period_cpu_hot(double *values, size_t n, const char **why)
{
    return periods(values, n, 1, cpu_ns, why);
}

enum micro_end micro_period_wakes(double *values, size_t n, const char **why)
{
    return periods(values, n, 0, wakes, why);
}
