/* SPDX-License-Identifier: MIT */
/*
 * What the stress tests share: starting the runtime in one of its two modes, tiny random delays, waits with an end.
 * Tasks never assert: a failed assertion jumps, and must not do so on a worker's stack. They record, the main thread
 * asserts.
 */
#ifndef STRESS_H
#define STRESS_H

#include "../sanitizer.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <wsfj.h>

#define TIMEOUT_S 300
#define STACK_SIZE ((size_t)256 << 10)
/* Long enough for any machine: only a broken library waits for so long. */
#define LONG_NS (UINT64_C(20) * 1000000000)

/* A count for normal builds, and a smaller one for the slow ones of the sanitizers. */
#if SANITIZED
#define COUNT(normal, sanitized) (sanitized)
#else
#define COUNT(normal, sanitized) (normal)
#endif

/* Without membarrier each sync takes the deque's lock. */
static inline void start(size_t workers, bool membarrier, long spin_us)
{
    ws_config config;

    setenv("WSFJ_MEMBARRIER", membarrier ? "1" : "0", 1);
    ws_config_default(&config);
    config.num_workers = workers;
    config.stack_size = STACK_SIZE;
    config.spin_us = spin_us;
    ck_assert_int_eq(ws_init(&config), 0);
}

static inline uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline void spin(unsigned n)
{
    for (volatile unsigned i = 0; i < n; i++)
        ;
}

/* xorshift; the state must not be 0. */
static inline unsigned draw(uint64_t *state, unsigned below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)(*state >> 32) % below;
}

/* Mostly short, seldom long: 1 to 2^most turns. */
static inline void spin_random(uint64_t *state, unsigned most)
{
    spin(1u << draw(state, most + 1) | draw(state, 16));
}

static inline void count(long *counter)
{
    (void)__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static inline void raise_flag(int *flag)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

/* A leaf that neither spawns nor syncs: until the flag is up (true) or the time is over (false). */
static inline bool wait_flag(const int *flag, uint64_t ns)
{
    uint64_t end = now() + ns;

    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
        if (now() > end)
            return false;
        spin(20);
    }
    return true;
}

static inline uint64_t suspensions(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    ck_assert_int_eq(ws_stats_get(&stats), 0);
    return stats.suspensions;
}

static inline int run_suite(const char *name, void (*add)(TCase *))
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, TIMEOUT_S);
    add(tcase);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
