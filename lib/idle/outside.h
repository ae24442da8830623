/* SPDX-License-Identifier: MIT */
/*
 * Who looks after what tasks wait for outside the program: times, file descriptors, and what poll sources look for. No thread of
 * its own does.
 *
 *  - A worker that searches looks in each round.
 *  - If all sleep, one of them is the lookout (lookout.h).
 *  - While workers are busy, the preempter looks once a millisecond.
 *
 * Without epoll the lookout looks once a millisecond, too.
 */
#ifndef WSFJ_IDLE_OUTSIDE_H
#define WSFJ_IDLE_OUTSIDE_H

#include "base/atomic.h"
#include "worker/worker.h"

struct timespec;

/* Looks, unless another thread does it for this reason, and puts the fibers whose waits have ended into the global queue. True if
 * there were any, or threads. For the thread that serves `self`, which searches. */
bool wsfj_outside_try_look(struct wsfj_worker *self);

/* Looks, and asks ws_config.poll. True if that has found something. For the preempter. */
bool wsfj_outside_look_and_poll(void);

/* The worker's thread, which is to sleep until its park word is AWAKE, becomes the lookout and sleeps, at most for `most` (NULL:
 * without limit). False: there is another lookout. True: the caller looks at its park word again. */
bool wsfj_outside_sleep(struct wsfj_worker *self, const struct timespec *most);

/* By what the patience of a worker that has run out of tasks is divided. A worker whose work comes from outside, such as a
 * server's, mostly searches in vain: after two such sleeps in a row it searches for a quarter of the time, but twice in 16 times as
 * long as others. A search that finds something outside ends the row. */
static inline unsigned wsfj_outside_haste(const struct wsfj_worker *w)
{
    return load_relaxed(&w->outside) % 16 < 2 ? 1 : 4;
}

/* In the child of a fork: nobody waits. */
void wsfj_outside_forget(void);

#endif
