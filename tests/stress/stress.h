/* SPDX-License-Identifier: MIT */
/*
 * What the stress tests share: starting the runtime in one of its two modes, tiny random delays, waits with a time
 * limit. Tasks never assert: a failed assertion jumps, and must not do so on a worker's stack. Tasks record, the main
 * thread asserts.
 */
#ifndef TESTS_STRESS_STRESS_H
#define TESTS_STRESS_STRESS_H

#include "../support/flags.h"
#include "../support/runtime.h"

#include <stdlib.h>

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
    setenv("WSFJ_MEMBARRIER", membarrier ? "1" : "0", 1);
    start_runtime(workers, STACK_SIZE, spin_us);
}

/* The i-th configuration of a loop test: each number of workers with membarrier and without. */
static inline void start_nth(const size_t *workers, int i, long spin_us)
{
    start(workers[i / 2], i % 2 == 0, spin_us);
}

/* In the default mode; 0 means the default size. */
static inline void start_sized(size_t workers, size_t stack_size)
{
    start_runtime(workers, stack_size, WS_SPIN_DEFAULT);
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

/* Mostly short, seldom long: 1 to 2^most steps. */
static inline void spin_random(uint64_t *state, unsigned most)
{
    spin(1u << draw(state, most + 1) | draw(state, 16));
}

static inline void count(long *counter)
{
    (void)__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* A leaf that neither spawns nor syncs: until the flag is raised (true) or the time is over (false). */
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

#endif
