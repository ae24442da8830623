/* SPDX-License-Identifier: MIT */
#include "arch/ticks.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

bool wsfj_ticks_count(void)
{
#if defined __x86_64__
    unsigned a, b, c, d;

    /* Intel SDM 3, 18.17.1, AMD APM 3, CPUID 8000_0007: the time stamp counter is invariant. */
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) != 0;
#elif defined __aarch64__
    return true; /* Arm ARM, D11: the generic timer */
#else
    return false;
#endif
}

bool wsfj_rough_counts;

void wsfj_rough_find(void)
{
    if (!load_relaxed(&wsfj_rough_counts)) /* CPUID takes some microseconds in a virtual machine */
        store_relaxed(&wsfj_rough_counts, wsfj_ticks_count());
}
