/* SPDX-License-Identifier: MIT */
/*
 * The wait table: a queue of nodes for each thing that tasks and threads wait for, found by its address. An object that
 * can be waited for is a word or a few, needs no clean-up, and may be freed as soon as its last waiter is back. After the
 * futexes of Linux and the parking lot of WebKit (F. Pizlo, "Locking in WebKit", 2016).
 *
 * Several keys share a bucket, which has a lock. A waker first changes the object, then takes the waiters out of the
 * table; a waiter looks at the object once more under the lock before it is queued (WAIT-1).
 */
#ifndef WSFJ_WAIT_TABLE_H
#define WSFJ_WAIT_TABLE_H

#include "wait/sleep.h"

struct wsfj_bucket;

/* The fibers that a waker has claimed, in the order of their nodes, linked by pool.next. Begins as zeros. */
struct wsfj_woken {
    struct wsfj_stack *first, *last;
    unsigned count;   /* how many waiters were claimed, threads among them */
    uint32_t *thread; /* the futex of a thread that is still to be woken */
};

/* Locks the queue of the key. The holder calls only what is here, for some hundred nanoseconds. */
struct wsfj_bucket *wsfj_table_lock(const void *key);
void wsfj_table_unlock(struct wsfj_bucket *bucket);

/* The bucket of the key, for a caller that has its lock. */
struct wsfj_bucket *wsfj_table_bucket(const void *key);

/* Under the lock: the oldest node of the key behind `after`, or of all if that is NULL. NULL: there is none. */
struct wsfj_node *wsfj_table_next(const struct wsfj_bucket *bucket, const void *key, const struct wsfj_node *after);

/* Under the lock, instead of must_wait(), which is NULL: queues a node of a waiter that is about to arm. For an object that
 * the same lock protects. */
void wsfj_table_queue(struct wsfj_bucket *bucket, struct wsfj_node *node, struct wsfj_waiter *waiter);

/* Under the lock: takes the node out and claims its waiter. False: the waiter has been claimed before, and goes on for
 * another reason. After this neither node nor waiter may be touched. */
bool wsfj_table_claim(struct wsfj_bucket *bucket, struct wsfj_node *node, struct wsfj_woken *woken);

/* Without the lock: wakes the threads that were claimed. Returns the fibers, which the caller must resume; NULL: none. */
struct wsfj_stack *wsfj_table_wake(struct wsfj_woken *woken);

/* Claims the first `most` waiters of the key, and does the same. */
struct wsfj_stack *wsfj_table_take(const void *key, unsigned most);

/* Claims every fiber whose deadline has passed, with WSFJ_WAIT_TIME. */
void wsfj_table_expire(uint64_t now, struct wsfj_woken *woken);

/* Queues the nodes of a waiter, which has left its stack if it is a fiber. False: it need not wait, and goes on. True: a
 * waker will resume it, and may have done so already. */
bool wsfj_waiter_arm(struct wsfj_waiter *waiter);

/* The waiter is back: takes its nodes out of the table that are still there. Returns its state. Nothing touches it
 * afterwards. */
uint32_t wsfj_waiter_disarm(struct wsfj_waiter *waiter);

/* Calls visit(node, arg) for each node of the table, under the lock of its bucket. */
void wsfj_table_visit(void (*visit)(const struct wsfj_node *node, void *arg), void *arg);

/* In the child of a fork, and between tests: nobody waits. */
void wsfj_table_forget(void);

#endif
