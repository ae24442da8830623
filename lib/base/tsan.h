/* SPDX-License-Identifier: MIT */
/*
 * ThreadSanitizer in the program. The library as installed is compiled without it, so ThreadSanitizer sees none of the
 * library's atomics. By hand the library tells it of each stack and each switch (arch/context.c), and where one thread
 * hands the program's data to another one: the giver calls wsfj_tsan_release(p) before it makes the data known, and the
 * taker calls wsfj_tsan_acquire(p) before the program's code goes on; `p` is any address that only the two use so. What
 * hands over data of the library alone is not told.
 *
 * A switch tells that fibers on one thread run one after the other. So no hand-over is told between a fiber and the
 * loop of its thread. Threads that take the same pthread mutex are ordered as well: ThreadSanitizer sees these calls.
 *
 * The references are weak: the loader decides, once, whether the program has ThreadSanitizer.
 */
#ifndef WSFJ_BASE_TSAN_H
#define WSFJ_BASE_TSAN_H

#include "base/base.h"

__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);
__attribute__((weak)) void *__tsan_get_current_fiber(void);
__attribute__((weak)) void *__tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_destroy_fiber(void *fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void *fiber, unsigned flags);

/* Whether the program has a ThreadSanitizer that knows fibers (gcc 10, clang 9). */
static inline bool wsfj_tsan_watches(void)
{
    return WSFJ_UNLIKELY(__tsan_switch_to_fiber != NULL) != 0;
}

static inline void wsfj_tsan_release(const void *address)
{
    if (wsfj_tsan_watches())
        __tsan_release((void *)address);
}

static inline void wsfj_tsan_acquire(const void *address)
{
    if (wsfj_tsan_watches())
        __tsan_acquire((void *)address);
}

#endif
