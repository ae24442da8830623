/* SPDX-License-Identifier: MIT */
/*
 * Who looks after what tasks wait for outside the program: times, file descriptors, and what poll sources look for. No thread of
 * its own does.
 *
 *  - A worker that searches looks in each round.
 *  - If all that could search sleep, one of them has the *watch*: it sleeps until the next deadline or descriptor instead of
 *    on its futex (PARK-13: doc/protocols.md).
 *  - While workers are busy, the preempter looks once a millisecond.
 *
 * Without epoll the watch looks once a millisecond, too.
 */
#ifndef WSFJ_IDLE_OUTSIDE_H
#define WSFJ_IDLE_OUTSIDE_H

#include "base/atomic.h"
#include "base/base.h"

struct wsfj_worker;
struct timespec;

/* How many tasks wait for something outside. */
extern WSFJ_HIDDEN uint64_t wsfj_outside_waits;
/* The park word of the worker whose thread has the watch; NULL: none. */
extern WSFJ_HIDDEN uint32_t *wsfj_outside_watch;

static inline bool wsfj_outside_is_waited_for(void)
{
    return WSFJ_UNLIKELY(load_relaxed(&wsfj_outside_waits) != 0) != 0;
}

/* The same, and no thread has the watch. */
static inline bool wsfj_outside_needs_a_watch(void)
{
    return wsfj_outside_is_waited_for() && !load_seq(&wsfj_outside_watch);
}

/* A task is about to wait for something outside; it is back. */
void wsfj_outside_begin(void);
void wsfj_outside_end(void);

/* A task now waits until this time, or a source is due: ends the sleep of the watch if that would last longer. */
void wsfj_outside_sooner(uint64_t until);

/* Looks, and puts the fibers whose waits have ended into the global queue. True if there were any, or threads. */
bool wsfj_outside_look(void);

/* The same, unless another thread does it for this reason. For searching workers. */
bool wsfj_outside_try_look(void);

/* The worker's thread, which is to sleep until its park word is AWAKE, takes the watch and sleeps as above, at most for `most`
 * (NULL: without limit). False: there is nothing to watch, or another thread has the watch. True: the caller looks at its
 * park word again. */
bool wsfj_outside_sleep(struct wsfj_worker *self, const struct timespec *most);

/* The park word has changed: wakes the worker's thread, wherever it sleeps. */
void wsfj_outside_rouse(uint32_t *park);

/* In the child of a fork: nobody waits or watches. After the stop: closes the descriptors. */
void wsfj_outside_forget(void);

#endif
