/* SPDX-License-Identifier: MIT */
/*
 * WSFJ_BIND=auto: a worker is bound to its place while nobody is in the way. If others use that, its thread may also use the
 * CPUs of the same cache, then of the same NUMA node, then of all places; never those that the process's first thread lacks.
 * When it is quiet again, one worker after the other goes back, a step at a time. A mask that somebody else has set is left
 * alone, until the thread has all CPUs again.
 *
 * Each thread looks after its own mask, while it serves a worker and searches. The judge (judge.h) decides.
 */
#ifndef WSFJ_WORKER_REACH_H
#define WSFJ_WORKER_REACH_H

#include "base/atomic.h"
#include "machine/affinity.h"
#include "machine/judge.h"
#include "worker/worker.h"

struct wsfj_placement;
struct wsfj_topology;

/* For tests, which set them before the runtime starts: nanoseconds between two looks, a time slice of the kernel or two; and who
 * judges. */
extern uint64_t wsfj_reach_period;
extern wsfj_judge_function *wsfj_reach_judge;

/* Notes the units of all places, if workers may leave theirs. `cpus`: into which the workers' lists point. False if there is
 * no memory. */
bool wsfj_reach_make(const struct wsfj_topology *topology, const struct wsfj_placement *placement, const unsigned *cpus);
void wsfj_reach_free(void);
void wsfj_reach_forget(void);

/* The worker has a place. */
void wsfj_reach_begin(struct wsfj_worker *worker);

/* Whether workers may leave their places. */
bool wsfj_reach_is_on(void);

/* The CPUs that the worker has at that step; with a `limit`, only those in it. */
void wsfj_reach_cpus(const struct wsfj_worker *worker, enum wsfj_reach_step step, const struct wsfj_mask *limit,
                     struct wsfj_mask *cpus);

/* Binds the calling thread, which is to serve the worker, to where the worker may be now. */
bool wsfj_reach_bind(struct wsfj_worker *worker);

/* By the runtime's thread that serves the worker, between tasks, if `look_at` is not 0: looks whether others are in the way, and
 * changes the thread's mask. Most often only compares `now`, by wsfj_coarse_now() or wsfj_now(). Keeps errno, is no point of
 * cancellation. */
void wsfj_reach_look(struct wsfj_worker *worker, uint64_t now);
static inline void wsfj_reach_check(struct wsfj_worker *w, uint64_t now)
{
    if (now >= w->reach.look_at)
        wsfj_reach_look(w, now);
}

/* Whether the worker's thread may be elsewhere than at its place. A hint for other threads. */
static inline bool wsfj_reach_is_wide(const struct wsfj_worker *w)
{
    return load_relaxed(&w->reach.step) != WSFJ_REACH_PLACE;
}

/* The same in words; NULL: it is at its place. */
const char *wsfj_reach_name(const struct wsfj_worker *worker);

#endif
