/* SPDX-License-Identifier: MIT */
/*
 * A worker's run queue of detached tasks: a bounded ring with one producer, the worker, and many consumers; and the
 * run-next slot for the newest task. Protocol, labels QUEUE-n: doc/protocols.md. After the run queues of Go's scheduler
 * (runtime/proc.go), with indices of 64 bits, which never wrap.
 *
 * Nothing here allocates or waits, except that the experimental last-in-first-out order takes a lock.
 */
#ifndef WSFJ_QUEUE_RUN_QUEUE_H
#define WSFJ_QUEUE_RUN_QUEUE_H

#include "base/atomic.h"
#include "base/base.h"
#include "base/chaos.h"
#include "base/policy.h"

struct wsfj_item;

#ifndef WSFJ_RUN_QUEUE_SIZE
#define WSFJ_RUN_QUEUE_SIZE 256 /* a power of two; tests may set a smaller one */
#endif

/* States of the run-next slot. */
#define WSFJ_NEXT_FULL 1u
#define WSFJ_NEXT_SEEN 2u

/* An item that several threads read while one may write it, word by word. */
struct wsfj_slot {
    uintptr_t fn, arg, group;
};

struct wsfj_run_queue {
    /* Written by all consumers. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t head; /* the oldest item */

    /* Written by the owner, read by thieves. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t tail; /* behind the newest item */
    struct wsfj_slot slots[WSFJ_RUN_QUEUE_SIZE];

    /* The run-next slot: 4 k empty, 4 k + 1 full, 4 k + 3 full and seen by a thief. The thread that empties it has the
     * item. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t next_state;
    struct wsfj_slot next;

    uint32_t lock; /* only with wsfj_policy.ring_lifo */
};

/* Owner: appends an item. False if the ring is full. */
bool wsfj_run_queue_push(struct wsfj_run_queue *ring, struct wsfj_item item);

/* Owner: takes the oldest item. False if the ring is empty. */
bool wsfj_run_queue_pop(struct wsfj_run_queue *ring, struct wsfj_item *item);

/* Owner: takes the oldest item if it is of the group. False also if a thief is faster. Inlined between two short tasks. */
static inline bool wsfj_run_queue_pop_of(struct wsfj_run_queue *ring, const ws_group *group, ws_function **fn,
                                         void **arg)
{
    uint64_t head = load_relaxed(&ring->head);
    const struct wsfj_slot *slot = &ring->slots[head % WSFJ_RUN_QUEUE_SIZE]; /* whole: only the owner writes */

    if (wsfj_policy.ring_lifo || head == load_relaxed(&ring->tail) || load_relaxed(&slot->group) != (uintptr_t)group)
        return false;
    *fn = (ws_function *)load_relaxed(&slot->fn);
    *arg = (void *)load_relaxed(&slot->arg);
    wsfj_chaos();
    return cas_acq_rel(&ring->head, &head, head + 1); /* QUEUE-2 */
}

/* Owner: takes the older half of a full ring, WSFJ_RUN_QUEUE_SIZE / 2 items. Returns how many; 0 if thieves were
 * faster. */
unsigned wsfj_run_queue_take_half(struct wsfj_run_queue *ring, struct wsfj_item *items);

/* Owner: takes the item in the run-next slot. False if there is none, or a thief was faster. */
bool wsfj_run_queue_take_next(struct wsfj_run_queue *ring, struct wsfj_item *item);

/* The same, if the item is of the group. False also if a thief marks it as seen meanwhile. */
bool wsfj_run_queue_take_next_of(struct wsfj_run_queue *ring, const ws_group *group, struct wsfj_item *item);

/* Owner: whether there may be one. Relaxed: only the owner fills the slot. */
static inline bool wsfj_run_queue_has_next(const struct wsfj_run_queue *ring)
{
    return load_relaxed(&ring->next_state) & WSFJ_NEXT_FULL;
}

/* Thief: the same as the owner. But an item that no thief has seen before is only marked: the owner will probably take it at
 * once. */
bool wsfj_run_queue_steal_next(struct wsfj_run_queue *ring, struct wsfj_item *item);

/* Thief: takes half of the victim's items in one step. The oldest goes to *item, the others to the end of `own`, the
 * thief's run queue, as far as there is room. They may be fewer than half if other threads take items meanwhile. Returns
 * how many; 0 if there is none or other threads were faster each time; *item is undefined then. */
unsigned wsfj_run_queue_steal(struct wsfj_run_queue *victim, struct wsfj_run_queue *own, struct wsfj_item *item);

/* Owner: whether the ring has no room for another item. */
static inline bool wsfj_run_queue_is_full(const struct wsfj_run_queue *ring)
{
    /* QUEUE-2: acquire, so the consumers' reads of a slot come before the next write to it. */
    return load_relaxed(&ring->tail) - load_acquire(&ring->head) == WSFJ_RUN_QUEUE_SIZE;
}

static inline void wsfj_slot_write(struct wsfj_slot *slot, uintptr_t fn, uintptr_t arg, uintptr_t group)
{
    store_relaxed(&slot->fn, fn);
    store_relaxed(&slot->arg, arg);
    store_relaxed(&slot->group, group);
}

/* One word after the other: the compiler then needs one register. */
static inline void wsfj_slot_copy(struct wsfj_slot *to, const struct wsfj_slot *from)
{
    store_relaxed(&to->fn, load_relaxed(&from->fn));
    store_relaxed(&to->arg, load_relaxed(&from->arg));
    store_relaxed(&to->group, load_relaxed(&from->group));
}

/* Owner: fills the run-next slot with an item. The item that was there goes to the end of the ring, which must not be full.
 * False if a thief has marked or taken that item meanwhile: then only wsfj_run_queue_put_next_again() may follow. Inlined
 * where tasks are submitted. */
static inline bool wsfj_run_queue_try_put_next(struct wsfj_run_queue *ring, ws_function *fn, void *arg, ws_group *group)
{
    /* Acquire: the reads of the last taker come before the writes below (QUEUE-3). */
    uint64_t state = load_acquire(&ring->next_state);

    if (state & WSFJ_NEXT_FULL) {
        uint64_t empty;

        wsfj_slot_copy(&ring->slots[load_relaxed(&ring->tail) % WSFJ_RUN_QUEUE_SIZE], &ring->next);
        wsfj_chaos();
        empty = (state | WSFJ_NEXT_FULL | WSFJ_NEXT_SEEN) + 1;
        if (WSFJ_UNLIKELY(!cas_acq_rel(&ring->next_state, &state, empty)))
            return false; /* what has been written is behind the tail */
        state = empty;
        wsfj_chaos();
        /* QUEUE-1. No more than a release for PARK-5: a thread that sees the store below in run-next sees this one, too. */
        count_release(&ring->tail);
    }
    wsfj_slot_write(&ring->next, (uintptr_t)fn, (uintptr_t)arg, (uintptr_t)group);
    wsfj_chaos();
    store_seq(&ring->next_state, state + WSFJ_NEXT_FULL); /* PARK-5 */
    return true;
}

/* The same after that, or where speed does not matter. */
void wsfj_run_queue_put_next_again(struct wsfj_run_queue *ring, ws_function *fn, void *arg, ws_group *group);

static inline void wsfj_run_queue_put_next(struct wsfj_run_queue *ring, ws_function *fn, void *arg, ws_group *group)
{
    if (!wsfj_run_queue_try_put_next(ring, fn, arg, group))
        wsfj_run_queue_put_next_again(ring, fn, arg, group);
}

/* The number of items in the ring, without run-next. A hint. */
static inline unsigned wsfj_run_queue_length(const struct wsfj_run_queue *ring)
{
    uint64_t head = load_relaxed(&ring->head), tail = load_relaxed(&ring->tail);

    return tail > head ? (unsigned)(tail - head) : 0;
}

/* True if the ring or run-next has an item. Sequentially consistent loads: for the recheck before a worker sleeps. */
static inline bool wsfj_run_queue_pending(const struct wsfj_run_queue *ring)
{
    uint64_t head;

    /* PARK-5: run-next first. What was displaced from there is in the ring when a newer item can be seen here. */
    if (load_seq(&ring->next_state) & WSFJ_NEXT_FULL)
        return true;
    /* Head before tail: an old tail could hide an item; an old head can only show one that is gone. */
    head = load_seq(&ring->head);
    return load_seq(&ring->tail) > head;
}

#endif
