/* SPDX-License-Identifier: MIT */
/*
 * Clocks for frequent events, cheap to read: the processor's counter if it runs at the same speed on all processors,
 * else the system's clock.
 */
#ifndef WSFJ_ARCH_TICKS_H
#define WSFJ_ARCH_TICKS_H

#include "arch/arch.h"
#include "base/atomic.h"

/* True if this processor has such a counter. Ask once. */
bool wsfj_ticks_count(void);

/* A clock whose callers measure the length of a tick. */
static inline uint64_t wsfj_ticks(bool count)
{
#if defined __x86_64__
    if (count)
        return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    if (count) {
        uint64_t ticks;

        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    (void)count;
    return wsfj_now();
}

/* Decides which clock wsfj_rough_now() reads. Until then it reads the system's. */
void wsfj_rough_find(void);
extern bool wsfj_rough_counts;

/* The counter as wsfj_rough_now() reads it. For code that must not call functions, if wsfj_rough_counts is set. */
static inline uint64_t wsfj_rough_ticks(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc() / 2; /* the counter runs at 1 to 5 GHz */
#else
    return 0;
#endif
}

/* About nanoseconds, for intervals in which a factor of three does not matter. Takes a third of the time of wsfj_now(). */
static inline uint64_t wsfj_rough_now(void)
{
#if defined __x86_64__
    if (load_relaxed(&wsfj_rough_counts))
        return wsfj_rough_ticks();
#endif
    return wsfj_now();
}

#endif
