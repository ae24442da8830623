/* SPDX-License-Identifier: MIT */
/*
 * Which of several sleepers to wake: the nearest one to the waker, since it shares the caches where the work is; of
 * equally near ones that which went to sleep last, whose own caches are still warm and whose processor sleeps least
 * deeply. Or any, for comparison (WSFJ_WAKE).
 */
#ifndef WSFJ_SLEEPER_H
#define WSFJ_SLEEPER_H

struct wsfj_worker;

/* A worker that is asleep, or NULL if none is seen to be. `self` is the worker that wakes; NULL: a thread that is none,
 * and then the worker on its own processor comes last. A hint: the worker may be awake at once. */
struct wsfj_worker *wsfj_sleeper_pick(const struct wsfj_worker *self);

#endif
