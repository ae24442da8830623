/* SPDX-License-Identifier: MIT */
/*
 * Which of several sleepers to wake: the one nearest to the waker, since it shares the caches where the work is; of
 * equally near sleepers the last to fall asleep, whose own caches are still warm and whose processor sleeps least
 * deeply.
 *
 * A waker compares a few of the nearest ones only (wake_looks in policy.h). If it compared all, concurrent wakers would
 * choose the same sleeper, only one of them would get it, and each of the others would walk all workers again: with 1024
 * workers, one in 4 us, however many woke others.
 */
#ifndef WSFJ_IDLE_WAKE_CHOICE_H
#define WSFJ_IDLE_WAKE_CHOICE_H

struct wsfj_worker;

/* A worker that is asleep, or NULL if none is. `self` is a worker near the caller: it comes first if it sleeps, then
 * those near it. NULL: the calling thread serves no worker, and the worker on its processor comes after those near it.
 * A sleeper that still has tasks in its run queue comes last: it is in the awake set. Another waker may take the sleeper at any
 * moment. If the caller has changed the counts, it sees every worker that stored ASLEEP and was counted before that
 * (PARK-4). */
struct wsfj_worker *wsfj_wake_choice(const struct wsfj_worker *self);

#endif
