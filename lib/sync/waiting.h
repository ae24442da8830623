/* SPDX-License-Identifier: MIT */
/* What the waits of all objects have in common. An object tests first; only if it must wait does it come here. */
#ifndef WSFJ_SYNC_WAITING_H
#define WSFJ_SYNC_WAITING_H

#include "api/wait.h"
#include "base/hooks.h"

/* The caller sets the object: the span of a profiled program goes on from there in tasks that call wsfj_sync_met() for it. They do
 * so each time that the object lets them go on, `complete`, or only if they would have had to wait. */
static inline void wsfj_sync_set(const void *object, bool complete)
{
    if (WSFJ_UNLIKELY(wsfj_profile_tls != NULL))
        wsfj_hooks.profile_set(object, complete);
}

static inline void wsfj_sync_met(const void *object)
{
    if (WSFJ_UNLIKELY(wsfj_profile_tls != NULL))
        wsfj_hooks.profile_met(object);
}

/* What a call returns if it would have to wait, but must not: ETIMEDOUT, no time is left; EDEADLK; EAGAIN: it is a profiled
 * task (wsfj_sync_again()). 0: it may wait. May be called under the lock of a bucket. */
int wsfj_sync_refused(uint64_t until);

/* After a refusal, without a lock: true if the object `on` should be tested once more. Else *error becomes what the call
 * returns. A line tells of EDEADLK, unless the last line was for the same object. */
bool wsfj_sync_again(int *error, const void *on, uint64_t until);

/* Waits as wsfj_wait() does. 0, ETIMEDOUT or ECANCELED. */
int wsfj_sync_wait(struct wsfj_waiter *waiter, enum wsfj_wait_kind kind, const void *on, uint64_t until);

/* All three for an object that is a word, with one node. 0: test it again. */
int wsfj_sync_wait_for(struct wsfj_node *node, enum wsfj_wait_kind kind, const void *on, uint64_t until);

#endif
