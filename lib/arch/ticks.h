/* SPDX-License-Identifier: MIT */
/*
 * A clock that costs little to read, for events that are many: the processor's counter where that runs at one speed on all
 * processors, else the system's clock. How long a tick is, is measured between two moments.
 */
#ifndef WSFJ_ARCH_TICKS_H
#define WSFJ_ARCH_TICKS_H

#include "arch/arch.h"

/* Whether this processor has such a counter: to be asked once. */
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
