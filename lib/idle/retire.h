/* SPDX-License-Identifier: MIT */
/*
 * Surplus workers (cpu_limit.h) retire: they sleep without being counted. No waker may wake them, and no guest may take
 * their slots (PARK-7).
 */
#ifndef WSFJ_IDLE_RETIRE_H
#define WSFJ_IDLE_RETIRE_H

#include "base/atomic.h"
#include "base/chaos.h"
#include "idle/allowed.h"
#include "worker/park_word.h"

struct wsfj_worker;

/* What the park word says if it does not fit what the worker may do. */
static inline uint32_t wsfj_retire_wrong(bool may)
{
    return may ? WSFJ_PARK_RETIRED : WSFJ_PARK_ASLEEP;
}

/* PARK-7: whether the worker must retire or become a sleeper. Reads the limit and its park word once. Most often the
 * word fits. */
static inline bool wsfj_retire_is_due(unsigned worker, const uint32_t *park)
{
    uint32_t wrong = wsfj_retire_wrong(wsfj_allowed_to_run(worker));

    wsfj_chaos();
    return load_seq(park) == wrong;
}

/* Retires the worker if it is asleep and surplus; makes it a sleeper if it is retired and may run. Called after each
 * step that may have made one of these true. Returns whether the worker has become a sleeper again: the caller must
 * then recheck. */
bool wsfj_retire_update(struct wsfj_worker *worker);

/* The workers [from, to) have become surplus or have ceased to be: updates each. If some are sleepers again, wakes a
 * worker if there is work; in a phase wakes all that may run. */
void wsfj_retire_change(unsigned from, unsigned to);

#endif
