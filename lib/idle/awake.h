/* SPDX-License-Identifier: MIT */
/*
 * The awake set: the workers that may have work. A thread that looks for work everywhere visits these workers only, so
 * that its walk takes time by how many workers are awake, not by how many there are (PARK-11). A worker is in the set
 * while a thread has its slot, and while it sleeps with tasks in its run queue.
 *
 * One bit for each worker. Only the thread that has the worker's slot changes it.
 */
#ifndef WSFJ_IDLE_AWAKE_H
#define WSFJ_IDLE_AWAKE_H

#include "base/atomic.h"
#include "base/base.h"
#include "base/chaos.h"
#include "config/parse.h"
#include "queue/run_queue.h"

#define WSFJ_AWAKE_BITS 64 /* of a word */

extern WSFJ_HIDDEN uint64_t wsfj_awake_set[WSFJ_WORKERS_MOST / WSFJ_AWAKE_BITS];

/* At start: no worker is in the set. */
void wsfj_awake_start(void);

static inline uint64_t *wsfj_awake_word(unsigned id)
{
    return &wsfj_awake_set[id / WSFJ_AWAKE_BITS];
}

static inline uint64_t wsfj_awake_bit(unsigned id)
{
    return UINT64_C(1) << id % WSFJ_AWAKE_BITS;
}

/* The workers in the set among the WSFJ_AWAKE_BITS from `first` on: bit 0 is the first. For a walk over the set. PARK-11: a
 * worker that enters the set later makes its work known later. */
static inline uint64_t wsfj_awake_members(unsigned first)
{
    return load_seq(wsfj_awake_word(first));
}

/* The worker of the lowest bit. */
static inline unsigned wsfj_awake_lowest(unsigned first, uint64_t members)
{
    return first + (unsigned)__builtin_ctzll(members);
}

/* The caller has got the worker's slot. Called before it makes a stack or a task known there. PARK-11: the change of the
 * counts between the two orders them for a recheck. Sequentially consistent for the preempter, which need not read the
 * counts (PREEMPT-2). */
static inline void wsfj_awake_enter(unsigned id)
{
    (void)or_seq(wsfj_awake_word(id), wsfj_awake_bit(id));
    wsfj_chaos();
}

/* The caller gives up the slot, where no stack runs any more. Returns whether tasks are left in the run queue: then the
 * worker stays in the set. PARK-11: called before the park word says that the slot is free, because another thread may
 * take it at once and enter. Relaxed: the store of the park word orders it. */
static inline bool wsfj_awake_leave(unsigned id, const struct wsfj_run_queue *queue)
{
    bool has_tasks = wsfj_run_queue_pending(queue);

    if (!has_tasks)
        (void)and_relaxed(wsfj_awake_word(id), ~wsfj_awake_bit(id));
    wsfj_chaos();
    return has_tasks;
}

#endif
