/* SPDX-License-Identifier: MIT */
/* Counters and flags that threads share, and waiting for a flag. */
#ifndef TESTS_SUPPORT_FLAGS_H
#define TESTS_SUPPORT_FLAGS_H

#include <sched.h>

static inline long get(const long *counter)
{
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

static inline void add(long *counter, long by)
{
    (void)__atomic_fetch_add(counter, by, __ATOMIC_ACQ_REL);
}

static inline int is_raised(const int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline void raise_flag(int *flag)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static inline void wait_for(const int *flag)
{
    while (!is_raised(flag))
        sched_yield();
}

#endif
