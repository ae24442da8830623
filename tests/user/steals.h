/* SPDX-License-Identifier: MIT */
/*
 * Makes steals happen. A child calls steals_in() first and steals_out() last; its parent calls steals_wait() between
 * the spawn and the sync. The modes: the parent does not wait (children mostly run at the sync); it waits until a thief
 * has taken and finished a child; or only until the thief has begun it (the parent's join is then suspended). All waits
 * are bounded: on a machine too busy for a thief the test is weaker, not wrong.
 */
#ifndef TESTS_USER_STEALS_H
#define TESTS_USER_STEALS_H

#include "../support/runtime.h"

#include <sched.h>

enum steals_mode { STEALS_NONE, STEALS_DONE, STEALS_BEGUN, STEALS_MODES };

#define STEALS_NS 200000000u

static struct {
    enum steals_mode mode;
    unsigned in, out, syncing;
} steals_state;

/* Waits until *counter has reached `value`, at most STEALS_NS. */
static inline void steals_until(const unsigned *counter, unsigned value)
{
    uint64_t end = now() + STEALS_NS;

    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < value && now() < end)
        sched_yield();
}

/* Before each region. */
static inline void steals_begin(enum steals_mode mode)
{
    steals_state.mode = mode;
    steals_state.in = steals_state.out = steals_state.syncing = 0;
}

static inline void steals_in(void)
{
    (void)__atomic_fetch_add(&steals_state.in, 1, __ATOMIC_ACQ_REL);
    if (steals_state.mode == STEALS_BEGUN && ws_num_workers() > 1) {
        steals_until(&steals_state.syncing, 1);
        for (int i = 0; i < 3; i++)
            sched_yield(); /* the parent is about to switch away */
    }
}

static inline void steals_out(void)
{
    (void)__atomic_fetch_add(&steals_state.out, 1, __ATOMIC_ACQ_REL);
}

/* `n`: the number of children to be stolen. */
static inline void steals_wait(unsigned n)
{
    unsigned thieves = (unsigned)ws_num_workers() - 1;

    if (thieves && steals_state.mode == STEALS_DONE)
        steals_until(&steals_state.out, n);
    if (thieves && steals_state.mode == STEALS_BEGUN) /* each thief waits in its child for the parent */
        steals_until(&steals_state.in, n < thieves ? n : thieves);
    __atomic_store_n(&steals_state.syncing, 1, __ATOMIC_RELEASE);
}

#endif
