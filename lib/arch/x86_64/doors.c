/* SPDX-License-Identifier: MIT */
/* How thunk.S saves the vector registers on this processor. */
#include "../../base.h"

#if defined __x86_64__

#include <cpuid.h>

/* 0: xmm only; 1: ymm; 2: zmm and masks of 64 bits (a processor with AVX-512 and masks of 16 bits counts as 1). */
__attribute__((visibility("hidden"))) extern int wsfj_vectors;
int wsfj_vectors;
/* Whether XGETBV tells which parts of the vector registers are in use. */
__attribute__((visibility("hidden"))) extern int wsfj_in_use;
int wsfj_in_use;

/* What the operating system saves: XCR0. */
#define XCR0_AVX 0x06u
#define XCR0_AVX512 0xe6u

static unsigned enabled(void)
{
    unsigned low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

__attribute__((constructor)) static void find_vectors(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || (enabled() & XCR0_AVX) != XCR0_AVX)
        return;
    wsfj_vectors = 1;
    if ((enabled() & XCR0_AVX512) == XCR0_AVX512 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX512BW)
        wsfj_vectors = 2;
    wsfj_in_use = __get_cpuid_count(13, 1, &a, &b, &c, &d) && a & 4u;
}

#endif
