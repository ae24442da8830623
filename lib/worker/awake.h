/* SPDX-License-Identifier: MIT */
/*
 * The awake set: the workers that may have work (PARK-11). A thread that has a worker's slot enters the worker into the set
 * before it makes a stack or a task known there. It takes the worker out before it gives the slot up, unless tasks are
 * left in the run queue. Such a worker stays in the set until it has been awake again, also if thieves take the tasks.
 *
 * Each worker's bit is at its position in near[] (worker/victim.h), so that near workers are in the same words. A recheck
 * relies on the set; for thieves, wakers and guests it is a hint. Only the thread that has the worker's slot changes the
 * worker's bit.
 */
#ifndef WSFJ_WORKER_AWAKE_H
#define WSFJ_WORKER_AWAKE_H

#include "base/atomic.h"
#include "base/base.h"
#include "base/bits.h"
#include "base/chaos.h"
#include "config/parse.h"
#include "queue/run_queue.h"

extern WSFJ_HIDDEN uint64_t wsfj_awake_set[WSFJ_WORKERS_MOST / WSFJ_BITS];
extern WSFJ_HIDDEN const unsigned *wsfj_awake_near; /* which worker each bit is */

/* At start: no worker is in the set. `near`: which worker each bit is; constant while the runtime runs. */
void wsfj_awake_start(const unsigned *near);

static inline uint64_t *wsfj_awake_word(unsigned position)
{
    return &wsfj_awake_set[position / WSFJ_BITS];
}

/* The workers in the set among the WSFJ_BITS from position `first` on: bit 0 is the first. For a walk over the set. PARK-11: a
 * worker that enters the set later makes its work known later. */
static inline uint64_t wsfj_awake_members(unsigned first)
{
    return load_seq(wsfj_awake_word(first));
}

/* The id of the worker of the lowest bit. */
static inline unsigned wsfj_awake_lowest(unsigned first, uint64_t bits)
{
    return wsfj_awake_near[first + (unsigned)__builtin_ctzll(bits)];
}

/* The workers at positions low..high - 1 that are not in the set, of the word that begins with position `first`. A hint. */
static inline uint64_t wsfj_awake_outside(unsigned first, unsigned low, unsigned high)
{
    return wsfj_bits_range(first, low, high) & ~load_relaxed(wsfj_awake_word(first));
}

/* The caller has got the worker's slot. Called before it makes a stack or a task known there. PARK-11: the change of the
 * counts between the two orders them for a recheck. Sequentially consistent for the preempter, which need not read the
 * counts (PREEMPT-2). */
static inline void wsfj_awake_enter(unsigned position)
{
    (void)or_seq(wsfj_awake_word(position), wsfj_bit(position));
    wsfj_chaos();
}

/* The caller gives up the slot, where no stack runs any more. Returns whether tasks are left in the run queue: then the
 * worker stays in the set. PARK-11: called before the park word says that the slot is free, because another thread may
 * take it at once and enter. Relaxed: the store of the park word orders it. */
static inline bool wsfj_awake_leave(unsigned position, const struct wsfj_run_queue *queue)
{
    bool has_tasks = wsfj_run_queue_pending(queue);

    if (!has_tasks)
        (void)and_relaxed(wsfj_awake_word(position), ~wsfj_bit(position));
    wsfj_chaos();
    return has_tasks;
}

#endif
