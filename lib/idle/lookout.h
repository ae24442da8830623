/* SPDX-License-Identifier: MIT */
/*
 * The lookout: of all workers that sleep, the one whose thread sleeps until the next deadline or descriptor instead of on its
 * futex (PARK-13: doc/protocols.md). outside.c has what it does; here is what others need to know of it.
 */
#ifndef WSFJ_IDLE_LOOKOUT_H
#define WSFJ_IDLE_LOOKOUT_H

#include "base/atomic.h"
#include "base/base.h"
#include "base/futex.h"
#include "wait/descriptor.h"

/* How many tasks and poll sources wait for something outside. */
extern WSFJ_HIDDEN uint64_t wsfj_lookout_waits;
/* The park word of the lookout; NULL: there is none. */
extern WSFJ_HIDDEN uint32_t *wsfj_lookout_park;
/* Until when its thread sleeps; 0: it is awake. */
extern WSFJ_HIDDEN uint64_t wsfj_lookout_until;

static inline bool wsfj_lookout_has_to(void)
{
    /* PARK-13: a worker that sleeps is counted before, and one that runs a stack has published it. */
    return WSFJ_UNLIKELY(load_seq(&wsfj_lookout_waits) != 0) != 0;
}

/* The same, and there is no lookout. */
static inline bool wsfj_lookout_is_missing(void)
{
    return wsfj_lookout_has_to() && !load_seq(&wsfj_lookout_park);
}

/* Somebody is about to wait for something outside; it has come. */
void wsfj_lookout_begin(void);
void wsfj_lookout_end(void);

/* Somebody now waits until this time: ends the lookout's sleep if that would last longer. */
void wsfj_lookout_sooner(uint64_t until);

/* The park word has changed: wakes the worker's thread, on its futex or as the lookout. */
static inline void wsfj_lookout_rouse(uint32_t *park)
{
    if (WSFJ_UNLIKELY(load_seq(&wsfj_lookout_park) == park)) /* PARK-13: after the park word has changed */
        wsfj_descriptor_poke();
    wsfj_futex_wake(park);
}

/* In the child of a fork: nobody waits. */
void wsfj_lookout_forget(void);

#endif
