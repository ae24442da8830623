/* SPDX-License-Identifier: MIT */
#include "wait/table.h"

#include "arch/spin.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "base/futex.h"
#include "task/stack.h"

#include <string.h>

/* 2^this buckets of half a cache line: with 100,000 waiters on as many keys 25 share a bucket. */
#ifndef WSFJ_BUCKETS_LOG
#define WSFJ_BUCKETS_LOG 12
#endif
#ifndef WSFJ_BUCKET_OF /* simulator and explorer have their own */
#define WSFJ_BUCKET_OF(key) (((uintptr_t)(key) >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - WSFJ_BUCKETS_LOG))
#endif

struct wsfj_bucket {
    uint32_t lock;                  /* 1: a thread holds it (spin.h) */
    struct wsfj_node *first, *last; /* wsfj_table_visit() reads `first` without the lock, as a hint */
} __attribute__((aligned(WSFJ_CACHE_LINE / 2)));

static struct wsfj_bucket buckets[1u << WSFJ_BUCKETS_LOG];

void wsfj_table_forget(void)
{
    memset(buckets, 0, sizeof buckets);
}

struct wsfj_bucket *wsfj_table_bucket(const void *key)
{
    return &buckets[WSFJ_BUCKET_OF(key) % (1u << WSFJ_BUCKETS_LOG)];
}

struct wsfj_bucket *wsfj_table_lock(const void *key)
{
    struct wsfj_bucket *bucket = wsfj_table_bucket(key);

    wsfj_spin_take(&bucket->lock);
    return bucket;
}

void wsfj_table_unlock(struct wsfj_bucket *bucket)
{
    wsfj_spin_give(&bucket->lock);
}

struct wsfj_node *wsfj_table_next(const struct wsfj_bucket *bucket, const void *key, const struct wsfj_node *after)
{
    struct wsfj_node *node = after ? after->next : bucket->first;

    while (node && node->key != key)
        node = node->next;
    return node;
}

void wsfj_table_queue(struct wsfj_bucket *bucket, struct wsfj_node *node, struct wsfj_waiter *waiter)
{
    node->waiter = waiter;
    node->next = NULL;
    node->before = bucket->last;
    if (bucket->last)
        bucket->last->next = node;
    else
        store_relaxed(&bucket->first, node);
    bucket->last = node;
    node->queued = true;
}

static void take_out(struct wsfj_bucket *bucket, struct wsfj_node *node)
{
    if (node->before)
        node->before->next = node->next;
    else
        store_relaxed(&bucket->first, node->next);
    if (node->next)
        node->next->before = node->before;
    else
        bucket->last = node->before;
    node->queued = false;
}

static void wake_thread(struct wsfj_woken *woken)
{
    if (woken->thread)
        wsfj_futex_wake(woken->thread); /* its stack, with the futex, may be gone by now */
    woken->thread = NULL;
}

/* A fiber that the caller is to resume. */
static void append_fiber(struct wsfj_woken *woken, struct wsfj_stack *s)
{
    s->pool.next = NULL;
    if (woken->last)
        woken->last->pool.next = s;
    else
        woken->first = s;
    woken->last = s;
}

/* True if this call has claimed the waiter. */
static bool claim(struct wsfj_waiter *waiter, uint32_t as, struct wsfj_woken *woken)
{
    struct wsfj_stack *s = waiter->stack;
    uint32_t state = WSFJ_WAIT_ARMING;

    wsfj_waiter_ring(waiter);
    wsfj_chaos();
    /* WAIT-2: a waiter that still arms sees the claim in its own compare-and-swap, and goes on by itself. Release: what the
     * waker has done. Acquire: the fiber, as it has left its stack. After a success this is the last touch (WAIT-3). */
    if (!cas_acq_rel(&waiter->state, &state, as) &&
        (state != WSFJ_WAIT_WAITING || !cas_acq_rel(&waiter->state, &state, as)))
        return false;
    woken->count++;
    if (state == WSFJ_WAIT_ARMING)
        return true;
    if (s) {
        append_fiber(woken, s);
    } else {
        wake_thread(woken); /* an earlier one: mostly there is only one, which is woken without the lock */
        woken->thread = &waiter->state;
    }
    return true;
}

bool wsfj_table_claim(struct wsfj_bucket *bucket, struct wsfj_node *node, struct wsfj_woken *woken)
{
    take_out(bucket, node);
    return claim(node->waiter, node->number, woken);
}

static void claim_late(struct wsfj_timer *timer, void *woken)
{
    (void)claim(WSFJ_CONTAINER(timer, struct wsfj_waiter, timer), WSFJ_WAIT_TIME, woken);
}

void wsfj_table_expire(uint64_t now, struct wsfj_woken *woken)
{
    wsfj_timer_expire(now, claim_late, woken);
}

struct wsfj_stack *wsfj_table_wake(struct wsfj_woken *woken)
{
    wake_thread(woken);
    return woken->first;
}

struct wsfj_stack *wsfj_table_take(const void *key, unsigned most)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(key);
    struct wsfj_node *node = wsfj_table_next(bucket, key, NULL), *next;
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};

    for (; node && woken.count < most; node = next) {
        next = wsfj_table_next(bucket, key, node);
        (void)wsfj_table_claim(bucket, node, &woken);
    }
    wsfj_table_unlock(bucket);
    return wsfj_table_wake(&woken);
}

/* False: what the node waits for has come. */
static bool arm_node(struct wsfj_waiter *waiter, struct wsfj_node *node)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(node->key);
    bool waits = node->must_wait(node); /* WAIT-1 */

    if (waits)
        wsfj_table_queue(bucket, node, waiter);
    wsfj_table_unlock(bucket);
    return waits;
}

bool wsfj_waiter_arm(struct wsfj_waiter *waiter)
{
    uint32_t state = WSFJ_WAIT_ARMING;

    for (struct wsfj_node *node = waiter->nodes; node; node = node->other) {
        if (node->must_wait && !arm_node(waiter, node)) {
            (void)cas_acq_rel(&waiter->state, &state, node->number); /* unless another node has won meanwhile */
            return false;
        }
    }
    if (waiter->timed && waiter->stack)
        wsfj_timer_add(&waiter->timer);
    wsfj_chaos();
    return cas_acq_rel(&waiter->state, &state, (uint32_t)WSFJ_WAIT_WAITING); /* WAIT-2 */
}

uint32_t wsfj_waiter_disarm(struct wsfj_waiter *waiter)
{
    uint32_t state = load_acquire(&waiter->state); /* acquire: a thread's nodes, as wakers have left them */

    for (struct wsfj_node *node = waiter->nodes; node; node = node->other) {
        struct wsfj_bucket *bucket;

        if (node->number == state)
            continue;                        /* its waker has taken it out, or it was never queued */
        bucket = wsfj_table_lock(node->key); /* WAIT-4: a waker of another key may be about to claim, in vain */
        if (node->queued)
            take_out(bucket, node);
        wsfj_table_unlock(bucket);
    }
    if (waiter->timed && waiter->stack)
        wsfj_timer_remove(&waiter->timer);
    return state;
}

void wsfj_table_visit(void (*visit)(const struct wsfj_node *, void *), void *arg)
{
    for (unsigned i = 0; i < 1u << WSFJ_BUCKETS_LOG; i++) {
        struct wsfj_bucket *bucket = &buckets[i];

        if (!load_relaxed(&bucket->first))
            continue;
        wsfj_spin_take(&bucket->lock);
        for (const struct wsfj_node *node = bucket->first; node; node = node->next)
            visit(node, arg);
        wsfj_spin_give(&bucket->lock);
    }
}
