/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a lock whose holder keeps it for some hundred nanoseconds, or for the length of a barrier, and releases
 * it by a plain store, without a wake-up.
 *
 * The holder may have been preempted. Then sched_yield() helps, unless the waiting thread has a real-time policy and
 * runs on the holder's processor: the kernel would give it the processor again at once. So the waiting thread sleeps in
 * the end, for a limited time, because no thread wakes it.
 */
#ifndef WSFJ_ARCH_SPIN_H
#define WSFJ_ARCH_SPIN_H

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/futex.h"

#include <sched.h>

/* After this many attempts the thread yields; */
#define WSFJ_SPIN_TRIES 200
/* after this many yields, about 60 us, it sleeps; */
#define WSFJ_SPIN_YIELDS 10
/* for this long: a little longer than a barrier that must wake up a processor. */
#define WSFJ_SPIN_SLEEP_NS 50000

/* Called after failed attempt number i, counted from 0. The lock is 1 while a thread holds it. */
static inline void wsfj_spin_wait(uint32_t *lock, unsigned i)
{
    if (i % WSFJ_SPIN_TRIES != WSFJ_SPIN_TRIES - 1)
        wsfj_pause();
    else if (i < WSFJ_SPIN_TRIES * WSFJ_SPIN_YIELDS)
        sched_yield();
    else
        wsfj_futex_wait(lock, 1, &(struct timespec){.tv_nsec = WSFJ_SPIN_SLEEP_NS});
}

/* Takes such a lock, and gives it back. */
static inline void wsfj_spin_take(uint32_t *lock)
{
    for (unsigned i = 0; swap_acq_rel(lock, 1u); i++)
        wsfj_spin_wait(lock, i);
}

static inline void wsfj_spin_give(uint32_t *lock)
{
    store_release(lock, 0u);
}

#endif
