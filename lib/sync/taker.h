/* SPDX-License-Identifier: MIT */
/*
 * Objects that hand something over: semaphores and channels. The lock of their bucket is their own lock. Who must wait
 * queues under it, as a taker, and is served under it: first come, first served. Other nodes of the same key only test
 * (any.c); they are told when there is something to take.
 */
#ifndef WSFJ_SYNC_TAKER_H
#define WSFJ_SYNC_TAKER_H

#include "sync/waiting.h"
#include "wait/table.h"

struct wsfj_taker {
    struct wsfj_node node;
    struct wsfj_waiter waiter;
    void *item; /* of the waiter: where what it takes goes, or what it gives */
    bool done;  /* under the lock: it has been served */
};

/* Under the lock: queues the caller. `number`: which queue of the key, WSFJ_WAIT_FIRST or above. */
void wsfj_taker_queue(struct wsfj_taker *taker, struct wsfj_bucket *bucket, const void *key, uint32_t number);

/* Waits, without the lock, after that. 0: the caller has been served; ECANCELED; EAGAIN: it tries again. */
int wsfj_taker_wait(struct wsfj_taker *taker, enum wsfj_wait_kind kind, uint64_t until);

/* Under the lock: the taker that has waited longest in this queue, or NULL. */
struct wsfj_taker *wsfj_taker_first(const struct wsfj_bucket *bucket, const void *key, uint32_t number);

/* Under the lock, after the item has been copied: serves the taker. False: it has gone on for another reason. It must not be
 * touched afterwards. */
bool wsfj_taker_serve(struct wsfj_taker *taker, struct wsfj_bucket *bucket, struct wsfj_woken *woken);

/* Under the lock: wakes those that only test, by this function; NULL: all, takers among them. */
void wsfj_taker_tell(struct wsfj_bucket *bucket, const void *key, bool (*test)(struct wsfj_node *),
                     struct wsfj_woken *woken);

#endif
