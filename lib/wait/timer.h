/* SPDX-License-Identifier: MIT */
/*
 * The deadlines of suspended fibers: a pairing heap whose entries lie in the waiters' records (M. Fredman et al., "The
 * pairing heap", Algorithmica 1986), under one lock. A thread that waits sleeps until its own deadline and is not here.
 */
#ifndef WSFJ_WAIT_TIMER_H
#define WSFJ_WAIT_TIMER_H

#include "base/atomic.h"
#include "base/base.h"

/* All but `at` under the lock. */
struct wsfj_timer {
    uint64_t at; /* nanoseconds of CLOCK_MONOTONIC */
    struct wsfj_timer *child, *next;
    struct wsfj_timer *before; /* the sibling before it; of a first child the parent */
    bool queued;
};

/* The earliest deadline; WSFJ_FOREVER: there is none. Changed under the lock. */
extern WSFJ_HIDDEN uint64_t wsfj_timer_first;

/* Adds a timer, whose `at` is set. */
void wsfj_timer_add(struct wsfj_timer *timer);

/* The waiter is back: takes its timer out if that is still there (WAIT-4). */
void wsfj_timer_remove(struct wsfj_timer *timer);

/* Takes out every timer whose time has come, and calls expired(timer, arg) under the lock. */
void wsfj_timer_expire(uint64_t now, void (*expired)(struct wsfj_timer *timer, void *arg), void *arg);

/* In the child of a fork: there is none. */
void wsfj_timer_forget(void);

#endif
