/* SPDX-License-Identifier: MIT */
/*
 * Random delays at protocol points (configure --enable-chaos): on few processors they make visible what needs a rare
 * interleaving. Nothing without that option.
 */
#ifndef WSFJ_CHAOS_H
#define WSFJ_CHAOS_H

#ifdef WSFJ_CHAOS
#include <sched.h>
#include <stdint.h>
#include <time.h>

static inline void wsfj_chaos(void)
{
    static uint32_t state; /* of all threads, and an update may be lost: it need only be hard to foresee */

    uint32_t next = __atomic_load_n(&state, __ATOMIC_RELAXED);

    next = (next ? next : (uint32_t)(uintptr_t)&state) * 1664525u + 1013904223u;
    __atomic_store_n(&state, next, __ATOMIC_RELAXED);
    if (next >> 29 == 0)
        sched_yield();
    else if (next >> 23 == 0x101)
        nanosleep(&(struct timespec){0, 20000}, NULL);
}
#else
static inline void wsfj_chaos(void)
{
}
#endif

#endif
