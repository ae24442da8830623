/* SPDX-License-Identifier: MIT */
/*
 * The clock, the pause in a spin loop, and which registers the slow-path exits keep. context.h has the stack switch,
 * fpenv.h the floating-point control word, ticks.h the cycle counter.
 */
#ifndef WSFJ_ARCH_ARCH_H
#define WSFJ_ARCH_ARCH_H

#include "base/base.h"

#include <time.h>

#ifdef __x86_64__
/* Finds out which registers the slow-path exits must keep; later calls do nothing. Call this before a deque can be
 * used: exits are reached only through a deque. A constructor would be too late: in a static program other code runs
 * before it. */
void wsfj_slow_path_find(void);
void wsfj_thunk_end(void); /* the end of the code in thunk.S */
#else
static inline void wsfj_slow_path_find(void)
{
}
#endif

/* Tells the processor that it runs a spin loop. */
static inline void wsfj_pause(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb" ::: "memory");
#else
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}

/* A monotonic clock in nanoseconds. A call takes about 20 ns. */
static inline uint64_t wsfj_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The same clock, some milliseconds late. A call takes about 5 ns. */
static inline uint64_t wsfj_coarse_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* So many nanoseconds, as the kernel wants them. */
static inline struct timespec wsfj_timespec(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

#endif
