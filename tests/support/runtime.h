/* SPDX-License-Identifier: MIT */
/* For tests of the whole runtime: starting and stopping it, its counters, a clock. Neighbours: fib.h, a task;
 * process.h, child processes. */
#ifndef TESTS_SUPPORT_RUNTIME_H
#define TESTS_SUPPORT_RUNTIME_H

#include "run.h"
#include "sanitizer.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <wsfj.h>

/* `stack_size` and `spin_us` as in ws_config; the defaults are 0 and WS_SPIN_DEFAULT. */
static inline void start_runtime(size_t workers, size_t stack_size, long spin_us)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.stack_size = stack_size;
    config.spin_us = spin_us;
    ck_assert_int_eq(ws_init(&config), 0);
#ifndef WSFJ_RACE /* one worker, whatever the number */
    ck_assert_uint_eq(ws_num_workers(), workers);
#endif
}

/* For a program whose last group is done: its last task may not be counted yet, and then ws_fini() refuses. */
static inline void stop_runtime(void)
{
    while (ws_fini() != 0)
        sched_yield();
}

static inline struct ws_stats read_stats(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    ck_assert_int_eq(ws_stats_get(&stats), 0);
    return stats;
}

static inline uint64_t steals(void)
{
    return read_stats().steals;
}

static inline uint64_t suspensions(void)
{
    return read_stats().suspensions;
}

/* In nanoseconds. */
static inline uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* For the iterations of a loop that must be divided: every sixteenth takes a microsecond, so no machine runs 1000 of them as
 * a plain loop. */
static inline void take_time(long i)
{
    uint64_t end = i % 16 ? 0 : now() + 1000;

    while (end && now() < end)
        ;
}

#endif
