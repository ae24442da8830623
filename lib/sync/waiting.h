/* SPDX-License-Identifier: MIT */
/* What the waits of all objects have in common. An object tests first; only if it must wait does it come here. */
#ifndef WSFJ_SYNC_WAITING_H
#define WSFJ_SYNC_WAITING_H

#include "api/wait.h"
#include "base/hooks.h"

/* What a call returns if it would have to wait, but must not: ETIMEDOUT, no time is left; EDEADLK; EAGAIN: it is a profiled
 * task (wsfj_sync_again()). 0: it may wait. May be called under the lock of a bucket. */
int wsfj_sync_refused(uint64_t until);

/* After a refusal, without a lock: true if the object should be tested once more. Else *error becomes what the call returns. */
bool wsfj_sync_again(int *error, uint64_t until);

/* Waits as wsfj_wait() does. 0, ETIMEDOUT or ECANCELED. */
int wsfj_sync_wait(struct wsfj_waiter *waiter, enum wsfj_wait_kind kind, const void *on, uint64_t until);

/* All three for an object that is a word, with one node. 0: test it again. */
int wsfj_sync_wait_for(struct wsfj_node *node, enum wsfj_wait_kind kind, uint64_t until);

#endif
