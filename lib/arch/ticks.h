/* SPDX-License-Identifier: MIT */
/*
 * A clock for frequent events, cheap to read: the processor's counter if it runs at the same speed on all processors,
 * else the system's clock. Callers measure the length of a tick.
 */
#ifndef WSFJ_ARCH_TICKS_H
#define WSFJ_ARCH_TICKS_H

#include "arch/arch.h"

/* True if this processor has such a counter. Ask once. */
bool wsfj_ticks_count(void);

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

#endif
