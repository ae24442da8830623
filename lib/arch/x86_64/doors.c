/* SPDX-License-Identifier: MIT */
/* How thunk.S saves the vector registers on this processor. */
#include "../../base.h"

#if defined __x86_64__

#include <cpuid.h>

/* 2: xsavec, 1: xsave, 0: neither, or not enabled by the operating system. Set before main(). */
__attribute__((visibility("hidden"))) extern int wsfj_xsave;
int wsfj_xsave;

__attribute__((constructor)) static void find_xsave(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return;
    wsfj_xsave = 1;
    if (__get_cpuid_count(13, 1, &a, &b, &c, &d) && a & 2u)
        wsfj_xsave = 2;
}

#endif
