/* SPDX-License-Identifier: MIT */
/*
 * A worker's run queue of detached tasks: a bounded ring with one producer, the worker, and many consumers, and beside it
 * the run-next slot for the newest task. Protocol, labels RING-n: doc/protocols.md. After the run queues of Go's
 * scheduler (runtime/proc.go) with indices of 64 bits, which never come round.
 *
 * Rules: nothing here allocates or waits (but for the experimental last-in-first-out order, which takes a lock).
 */
#ifndef WSFJ_QUEUE_RUN_QUEUE_H
#define WSFJ_QUEUE_RUN_QUEUE_H

#include "base/base.h"

struct wsfj_item;

#ifndef WSFJ_RUN_QUEUE_SIZE
#define WSFJ_RUN_QUEUE_SIZE 256 /* a power of two; tests may set a smaller one */
#endif

/* The same in a place that several threads read while one may write: each word by itself. */
struct wsfj_slot {
    uintptr_t fn, arg, group;
};

struct wsfj_run_queue {
    /* Written by all consumers. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t head; /* the oldest item */

    /* Written by the owner, read by thieves. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t tail; /* behind the newest */
    struct wsfj_slot slots[WSFJ_RUN_QUEUE_SIZE];

    /* The run-next slot: 4 k empty, + 1 full, + 3 full and a thief has seen it. Whoever makes it empty has the item. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t next_state;
    struct wsfj_slot next;

    /* For experiments; constant while the ring is in use. */
    bool lifo;         /* the owner takes the newest first */
    unsigned quarters; /* of the ring that a thief takes: 1 to 4; 0: 2 */
    uint32_t lock;     /* with lifo */
};

/* Owner: the newest item, at the end of the ring. False if the ring is full. */
bool wsfj_run_queue_push(struct wsfj_run_queue *ring, struct wsfj_item item);

/* Owner: takes an item from the ring: the oldest. False if it is empty. */
bool wsfj_run_queue_pop(struct wsfj_run_queue *ring, struct wsfj_item *item);

/* Owner: takes the older half of a full ring, at most WSFJ_RUN_QUEUE_SIZE / 2 items; how many. 0 if thieves were faster. */
unsigned wsfj_run_queue_take_half(struct wsfj_run_queue *ring, struct wsfj_item *items);

/* Owner: fills the run-next slot; what was there before is in *displaced (fn NULL: nothing). */
void wsfj_run_queue_put_next(struct wsfj_run_queue *ring, struct wsfj_item item, struct wsfj_item *displaced);

/* Owner: takes the item in the run-next slot. False if there is none, or a thief was faster. */
bool wsfj_run_queue_take_next(struct wsfj_run_queue *ring, struct wsfj_item *item);

/* Thief: the same, but what no thief has seen before is only marked: its owner is likely to come for it at once. */
bool wsfj_run_queue_steal_next(struct wsfj_run_queue *ring, struct wsfj_item *item);

/* Thief: moves half of the victim's items, in one step, to the end of `own`, the thief's ring, as far as there is room;
 * except the oldest, which goes to *item. How many in all; 0 if there is nothing or somebody else was faster. */
unsigned wsfj_run_queue_steal(struct wsfj_run_queue *victim, struct wsfj_run_queue *own, struct wsfj_item *item);

/* Items in the ring, without run-next. A hint for everybody but the owner. */
unsigned wsfj_run_queue_length(const struct wsfj_run_queue *ring);

/* Anything in the ring or run-next, by sequentially consistent loads: for the last look before sleep. */
bool wsfj_run_queue_pending(const struct wsfj_run_queue *ring);

#endif
