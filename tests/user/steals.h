/* SPDX-License-Identifier: MIT */
/*
 * Steals on purpose. A child calls lure_in() first and lure_out() last; its parent calls lure_wait() between the spawn
 * and the sync. By mode: nobody waits (children mostly run at the sync), the parent waits until a child has gone to a
 * thief and is done, or only until it has begun there (the parent's join is then suspended). All waits are bounded: on
 * a machine too busy for a thief the test is weaker, not wrong.
 */
#ifndef TESTS_USER_STEALS_H
#define TESTS_USER_STEALS_H

#include "../support/runtime.h"

#include <sched.h>

enum lure { LURE_NONE, LURE_DONE, LURE_BEGUN, LURE_MODES };

#define LURE_NS 200000000u

static struct {
    enum lure mode;
    unsigned in, out, syncing;
} lure;

/* Waits until *counter has reached `value`, or a while. */
static inline void lure_until(const unsigned *counter, unsigned value)
{
    uint64_t end = now() + LURE_NS;

    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < value && now() < end)
        sched_yield();
}

/* Before each region. */
static inline void lure_begin(enum lure mode)
{
    lure.mode = mode;
    lure.in = lure.out = lure.syncing = 0;
}

static inline void lure_in(void)
{
    (void)__atomic_fetch_add(&lure.in, 1, __ATOMIC_ACQ_REL);
    if (lure.mode == LURE_BEGUN) {
        lure_until(&lure.syncing, 1);
        for (int i = 0; i < 3; i++)
            sched_yield(); /* the parent is about to leave its stack */
    }
}

static inline void lure_out(void)
{
    (void)__atomic_fetch_add(&lure.out, 1, __ATOMIC_ACQ_REL);
}

/* `n`: how many children are to be gone. */
static inline void lure_wait(unsigned n)
{
    unsigned thieves = (unsigned)ws_num_workers() - 1;

    if (thieves && lure.mode == LURE_DONE)
        lure_until(&lure.out, n);
    if (thieves && lure.mode == LURE_BEGUN) /* each thief waits for us in its child */
        lure_until(&lure.in, n < thieves ? n : thieves);
    __atomic_store_n(&lure.syncing, 1, __ATOMIC_RELEASE);
}

#endif
