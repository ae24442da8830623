/* SPDX-License-Identifier: MIT */
/*
 * For monitor.c and watchdog.c: starts a runtime that prints its state periodically, has a task that lasts until the
 * test releases it, and counts what has been printed.
 */
#ifndef TESTS_USER_MONITORED_H
#define TESTS_USER_MONITORED_H

#include "../support/fib.h"
#include "../support/heard.h"
#include "../support/resources.h"
#include "../support/sanitizer.h"
#include "workers.h"

#include <pthread.h>
#include <sched.h>

#define DUMP "libwsfj: dump of process"

static int go_on, waits;
static int files_before; /* open at the begin, and at the end */

static inline void reset(void)
{
    __atomic_store_n(&go_on, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&waits, 0, __ATOMIC_RELEASE);
}

static inline void begin(const char *period_ms, const char *patience_s, size_t n)
{
    reset();
    files_before = count_files();
    setenv("WSFJ_SCHEDTRACE", period_ms, 1);
    setenv("WSFJ_WATCHDOG", patience_s, 1);
    listen_begin();
    start(n);
}

static inline void release(void)
{
    __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
}

static inline void end(void)
{
    release();
    while (ws_fini() != 0)
        sched_yield();
    listen_end();
    ck_assert_int_eq(count_files(), files_before);
}

static inline void wait_for_flag(void *unused)
{
    (void)unused;
    __atomic_store_n(&waits, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE))
        usleep(1000);
}

static inline unsigned count(const char *text)
{
    unsigned n = 0;

    for (const char *at = heard; (at = strstr(at, text)); at++)
        n++;
    return n;
}

/* Waits until so many more periods have been printed. */
static inline void pass_periods(unsigned n)
{
    unsigned before = count("WSFJ ");

    for (int i = 0; i < PATIENCE_S * 10 && count("WSFJ ") < before + n; i++)
        (void)hear(100);
    ck_assert_uint_ge(count("WSFJ "), before + n);
}

#endif
