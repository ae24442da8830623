/* SPDX-License-Identifier: MIT */
/* Flush to zero: a mode of the calling thread's arithmetic that <fenv.h> does not have. */
#ifndef TESTS_SUPPORT_MODES_H
#define TESTS_SUPPORT_MODES_H

#include <stdbool.h>
#include <stdint.h>

#if defined __x86_64__
#define MODES_ALWAYS_FLUSH false
#define MODES_FLUSH 0x8000u

static inline void modes_set_flush(bool on)
{
    uint32_t mxcsr;

    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    mxcsr = on ? mxcsr | MODES_FLUSH : mxcsr & ~MODES_FLUSH;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

static inline bool modes_flush(void)
{
    uint32_t mxcsr;

    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    return mxcsr & MODES_FLUSH;
}
#elif defined __aarch64__
#define MODES_ALWAYS_FLUSH false
#define MODES_FLUSH ((uint64_t)1 << 24)

static inline void modes_set_flush(bool on)
{
    uint64_t fpcr;

    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    fpcr = on ? fpcr | MODES_FLUSH : fpcr & ~MODES_FLUSH;
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
}

static inline bool modes_flush(void)
{
    uint64_t fpcr;

    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr & MODES_FLUSH;
}
#else /* the library carries the rounding mode only */
#define MODES_ALWAYS_FLUSH true

static inline void modes_set_flush(bool on)
{
    (void)on;
}

static inline bool modes_flush(void)
{
    return true;
}
#endif

#endif
