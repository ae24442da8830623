/* SPDX-License-Identifier: MIT */
/*
 * A worker's run queue of detached tasks: a bounded ring with one producer, the worker, and many consumers. Its newest task
 * is in run-next until a newer one comes: the worker takes it before the older ones. Protocol, labels QUEUE-n:
 * doc/protocols.md. The ring and run-next are those of Go's scheduler (runtime/proc.go), with indices of 64 bits, which
 * never wrap; the two ends meet by the THE protocol (Frigo, Leiserson and Randall, PLDI 1998).
 *
 * Nothing here allocates or waits.
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

/* Head and tail count items in twos. Bit 0 of the tail: the newest item is in run-next. */
#define WSFJ_RUN_QUEUE_ONE 2u
#define WSFJ_RUN_QUEUE_NEXT 1u

/* An item that several threads read while one may write it, word by word. */
struct wsfj_entry {
    uintptr_t fn, arg, group;
};

struct wsfj_run_queue {
    /* Written by all consumers. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t head; /* the oldest item */
    uint64_t seen; /* the tail at which a thief has last seen an item in run-next, and no other. A hint */

    /* Written by the owner, read by thieves. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t tail; /* behind the newest item */
    struct wsfj_entry *entries; /* WSFJ_RUN_QUEUE_SIZE; set at start, then constant. Elsewhere: most take no memory */
};

/* The entry at a head, or behind which is a tail. */
static inline struct wsfj_entry *wsfj_run_queue_entry(struct wsfj_run_queue *queue, uint64_t position)
{
    return &queue->entries[position / WSFJ_RUN_QUEUE_ONE % WSFJ_RUN_QUEUE_SIZE];
}

/* Owner: appends an item. False if the queue is full. */
bool wsfj_run_queue_push(struct wsfj_run_queue *queue, struct wsfj_item item);

/* Owner: appends `n` items, for which there is room. */
void wsfj_run_queue_append(struct wsfj_run_queue *queue, const struct wsfj_item *items, unsigned n);

/* Owner: takes the oldest item. False if the queue is empty. */
bool wsfj_run_queue_pop(struct wsfj_run_queue *queue, struct wsfj_item *item);

/* Owner: takes the oldest item if it is of the group. False also if a thief is faster. Inlined between two short tasks. */
static inline bool WSFJ_POLICY_FUNCTION(wsfj_run_queue_pop_of)(struct wsfj_run_queue *queue, const ws_group *group,
                                                               ws_function **fn, void **arg)
{
    uint64_t head = load_relaxed(&queue->head);
    const struct wsfj_entry *entry = wsfj_run_queue_entry(queue, head); /* whole: only the owner writes */

    if (head >= (load_relaxed(&queue->tail) & ~(uint64_t)WSFJ_RUN_QUEUE_NEXT) ||
        load_relaxed(&entry->group) != (uintptr_t)group)
        return false;
    *fn = (ws_function *)load_relaxed(&entry->fn);
    *arg = (void *)load_relaxed(&entry->arg);
    wsfj_chaos();
    return cas_acq_rel(&queue->head, &head, head + WSFJ_RUN_QUEUE_ONE); /* QUEUE-2 */
}

/* Owner: takes the older half of a full queue, WSFJ_RUN_QUEUE_SIZE / 2 items. Returns how many; 0 if thieves were
 * faster. */
unsigned wsfj_run_queue_take_half(struct wsfj_run_queue *queue, struct wsfj_item *items);

/* Owner: whether there is an item in run-next, and older ones besides. Thieves may take those at any time. */
static inline bool wsfj_run_queue_has_next(const struct wsfj_run_queue *queue)
{
    uint64_t tail = load_relaxed(&queue->tail);

    return tail & WSFJ_RUN_QUEUE_NEXT && tail - load_relaxed(&queue->head) > 2 * WSFJ_RUN_QUEUE_ONE;
}

/* Owner: takes the item in run-next, if wsfj_run_queue_has_next(). False if thieves have taken all items meanwhile. */
bool wsfj_run_queue_pop_next(struct wsfj_run_queue *queue, struct wsfj_item *item);

/* The same, if the item is of the group. */
bool wsfj_run_queue_pop_next_of(struct wsfj_run_queue *queue, const ws_group *group, struct wsfj_item *item);

/* Thief: takes half of the victim's items in one step, without the one in run-next. The oldest goes to *item, the others to
 * the end of `own`, the thief's run queue, as far as there is room. They may be fewer than half if other threads take items
 * meanwhile. If there is only an item in run-next, the first thief that sees it leaves it to the owner, which will probably
 * take it at once; the next one takes it. Returns how many; 0 if there is none or other threads were faster each time; *item
 * is undefined then. */
unsigned wsfj_run_queue_steal(struct wsfj_run_queue *victim, struct wsfj_run_queue *own, struct wsfj_item *item);

/* Owner: for how many more items there is room. */
static inline unsigned wsfj_run_queue_room(const struct wsfj_run_queue *queue)
{
    /* QUEUE-2: acquire, so the consumers' reads of an entry come before the next write to it. */
    uint64_t length = load_relaxed(&queue->tail) - load_acquire(&queue->head);

    return WSFJ_RUN_QUEUE_SIZE - (unsigned)(length / WSFJ_RUN_QUEUE_ONE);
}

static inline bool wsfj_run_queue_is_full(const struct wsfj_run_queue *queue)
{
    return wsfj_run_queue_room(queue) == 0;
}

static inline void wsfj_entry_write(struct wsfj_entry *entry, uintptr_t fn, uintptr_t arg, uintptr_t group)
{
    store_relaxed(&entry->fn, fn);
    store_relaxed(&entry->arg, arg);
    store_relaxed(&entry->group, group);
}

/* Owner: appends an item, which is in run-next then. The queue must not be full. Inlined where tasks are submitted. */
static inline void wsfj_run_queue_put_next(struct wsfj_run_queue *queue, ws_function *fn, void *arg, ws_group *group)
{
    uint64_t tail = load_relaxed(&queue->tail);

    wsfj_entry_write(wsfj_run_queue_entry(queue, tail), (uintptr_t)fn, (uintptr_t)arg, (uintptr_t)group);
    wsfj_chaos();
    store_seq(&queue->tail, (tail | WSFJ_RUN_QUEUE_NEXT) + WSFJ_RUN_QUEUE_ONE); /* QUEUE-1, PARK-5 */
}

/* Whether the newest item is in run-next. A hint, meant for a queue that is not empty. */
static inline bool wsfj_run_queue_next_full(const struct wsfj_run_queue *queue)
{
    return load_relaxed(&queue->tail) & WSFJ_RUN_QUEUE_NEXT;
}

/* The number of items, with the one in run-next. A hint. */
static inline unsigned wsfj_run_queue_length(const struct wsfj_run_queue *queue)
{
    uint64_t head = load_relaxed(&queue->head), tail = load_relaxed(&queue->tail);

    return tail > head ? (unsigned)((tail - head) / WSFJ_RUN_QUEUE_ONE) : 0;
}

/* True if there is an item. Sequentially consistent loads: for the recheck before a worker sleeps. */
static inline bool wsfj_run_queue_pending(const struct wsfj_run_queue *queue)
{
    /* Reads the head first: a stale head only shows an item that is gone, a stale tail would hide one. While the owner takes
     * an item from run-next, the item may seem gone (QUEUE-3): then the owner itself goes on to look for work. */
    uint64_t head = load_seq(&queue->head);

    return (load_seq(&queue->tail) & ~(uint64_t)WSFJ_RUN_QUEUE_NEXT) > head; /* PARK-5 */
}

#endif
