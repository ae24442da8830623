/* SPDX-License-Identifier: MIT */
/*
 * What differs between processors: the raw stack switch, the pause in a spin loop, the cycle counter, the
 * floating-point control word. Neighbour: context.h, which everybody else uses.
 */
#ifndef WSFJ_ARCH_H
#define WSFJ_ARCH_H

#include "arch/context.h"

#include <time.h>

#ifdef WSFJ_SWITCH_PORTABLE
#include <fenv.h>
#endif

/* Prepares a context whose stack is known: the first switch to it calls entry(argument). */
void wsfj_arch_make(struct wsfj_context *context, void (*entry)(void *), void *argument);

#ifdef WSFJ_SWITCH_PORTABLE
void wsfj_arch_switch(struct wsfj_context *from, struct wsfj_context *to);
#else
void wsfj_context_jump(void **save, void *to);
void wsfj_context_start(void);
void wsfj_context_between(void);

static inline __attribute__((always_inline)) void wsfj_arch_switch(struct wsfj_context *from, struct wsfj_context *to)
{
    wsfj_context_jump(&from->sp, to->sp);
}
#endif

#ifdef __x86_64__
/* Finds out which registers the doors of the fast path have to keep; later calls do nothing. The caller makes a deque and
 * calls this before the deque can be used, because a door is reached only through a deque. A constructor would be too late:
 * in a static program other code runs before it. */
void wsfj_doors_find(void);
void wsfj_thunk_end(void); /* of the code of thunk.S */
#else
static inline void wsfj_doors_find(void)
{
}
#endif

/* Tells the processor that this is a spin loop. */
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

/* Nanoseconds of a clock that does not jump. About 20 ns a call. */
static inline uint64_t wsfj_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
