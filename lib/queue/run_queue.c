/* SPDX-License-Identifier: MIT */
#include "queue/run_queue.h"

#include "arch/arch.h"
#include "arch/spin.h"
#include "task/item.h"

static void slot_write(struct wsfj_slot *slot, struct wsfj_item item)
{
    wsfj_slot_write(slot, (uintptr_t)item.fn, (uintptr_t)item.arg, (uintptr_t)item.group);
}

/* The result may be torn, until a compare-and-swap shows that no other thread has taken the item. */
static struct wsfj_item slot_read(const struct wsfj_slot *slot)
{
    return (struct wsfj_item){(ws_function *)load_relaxed(&slot->fn), (void *)load_relaxed(&slot->arg),
                              (ws_group *)load_relaxed(&slot->group)};
}

static struct wsfj_slot *slot_at(struct wsfj_run_queue *ring, uint64_t index)
{
    return &ring->slots[index % WSFJ_RUN_QUEUE_SIZE];
}

/* The last-in-first-out order is for experiments; a lock suffices. */
static void order_lock(struct wsfj_run_queue *ring)
{
    for (unsigned i = 0; wsfj_policy.ring_lifo && __atomic_exchange_n(&ring->lock, 1, __ATOMIC_ACQUIRE); i++)
        wsfj_spin_wait(&ring->lock, i);
}

static void order_unlock(struct wsfj_run_queue *ring)
{
    if (wsfj_policy.ring_lifo)
        store_release(&ring->lock, 0);
}

bool wsfj_run_queue_push(struct wsfj_run_queue *ring, struct wsfj_item item)
{
    uint64_t tail = load_relaxed(&ring->tail);

    if (wsfj_run_queue_is_full(ring))
        return false;
    slot_write(slot_at(ring, tail), item);
    wsfj_chaos();
    /* QUEUE-1: release, so a thread that sees the new tail sees the item. Sequentially consistent for PARK-5. */
    store_seq(&ring->tail, tail + 1);
    return true;
}

static bool pop_newest(struct wsfj_run_queue *ring, struct wsfj_item *item)
{
    uint64_t tail = load_relaxed(&ring->tail);
    bool some;

    order_lock(ring);
    some = load_relaxed(&ring->head) != tail;
    if (some) {
        *item = slot_read(slot_at(ring, tail - 1));
        store_relaxed(&ring->tail, tail - 1); /* thieves read it under the lock */
    }
    order_unlock(ring);
    return some;
}

bool wsfj_run_queue_pop(struct wsfj_run_queue *ring, struct wsfj_item *item)
{
    uint64_t head, tail = load_relaxed(&ring->tail);

    if (wsfj_policy.ring_lifo)
        return pop_newest(ring, item);
    head = load_relaxed(&ring->head);
    do {
        if (head == tail)
            return false;
        *item = slot_read(slot_at(ring, head));
        wsfj_chaos();
    } while (!cas_acq_rel(&ring->head, &head, head + 1)); /* QUEUE-2 */
    return true;
}

/* Claims `n` items from `head` on, which the caller has copied. False, with nothing claimed, if another thread was
 * faster. */
static bool claim(struct wsfj_run_queue *ring, uint64_t head, unsigned n)
{
    wsfj_chaos();
    /* QUEUE-2: the owner overwrites none of them while head is unchanged. So if head is still unchanged, the copies are
     * whole, and only this thread has them. Release: the copies come before the owner's next writes. */
    return cas_acq_rel(&ring->head, &head, head + n);
}

unsigned wsfj_run_queue_take_half(struct wsfj_run_queue *ring, struct wsfj_item *items)
{
    bool got = false;

    order_lock(ring);

    uint64_t head = load_relaxed(&ring->head);

    if (load_relaxed(&ring->tail) - head == WSFJ_RUN_QUEUE_SIZE) {
        for (unsigned i = 0; i < WSFJ_RUN_QUEUE_SIZE / 2; i++)
            items[i] = slot_read(slot_at(ring, head + i));
        got = claim(ring, head, WSFJ_RUN_QUEUE_SIZE / 2);
    }
    order_unlock(ring);
    return got ? WSFJ_RUN_QUEUE_SIZE / 2 : 0;
}

static unsigned share(uint64_t length)
{
    uint64_t n = wsfj_policy.ring_quarters ? (length * wsfj_policy.ring_quarters + 3) / 4 : 1;

    return (unsigned)(n < length ? n : length);
}

/* Copies items to free slots of another ring, in runs that wrap in neither ring. Word by word: the owner may overwrite them
 * meanwhile. */
static void copy_items(struct wsfj_run_queue *to, uint64_t to_index, const struct wsfj_run_queue *from,
                       uint64_t from_index, unsigned n)
{
    while (n > 0) {
        struct wsfj_slot *next = &to->slots[to_index % WSFJ_RUN_QUEUE_SIZE];
        const struct wsfj_slot *old = &from->slots[from_index % WSFJ_RUN_QUEUE_SIZE];
        unsigned to_end = (unsigned)(WSFJ_RUN_QUEUE_SIZE - to_index % WSFJ_RUN_QUEUE_SIZE);
        unsigned from_end = (unsigned)(WSFJ_RUN_QUEUE_SIZE - from_index % WSFJ_RUN_QUEUE_SIZE);
        unsigned run = to_end < from_end ? to_end : from_end;

        run = run < n ? run : n;
        for (const struct wsfj_slot *end = old + run; old != end; old++, next++)
            wsfj_slot_copy(next, old);
        to_index += run;
        from_index += run;
        n -= run;
    }
}

/* Copies the thief's share, at most `most` items from *head on: the oldest to *item, the others to free slots of the thief's
 * own ring, behind the tail that others see. Returns how many. */
static unsigned copy_share(struct wsfj_run_queue *victim, struct wsfj_run_queue *own, struct wsfj_item *item,
                           uint64_t *head, unsigned most)
{
    uint64_t tail, own_tail = load_relaxed(&own->tail);
    unsigned n = 0;

    *head = load_acquire(&victim->head);
    tail = load_acquire(&victim->tail); /* QUEUE-1 */
    /* The two values are of different moments: with an old head the ring may seem longer than it can be. */
    if (tail > *head && tail - *head <= WSFJ_RUN_QUEUE_SIZE)
        n = share(tail - *head);
    n = n < most ? n : most;
    if (n == 0)
        return 0;
    *item = slot_read(slot_at(victim, *head));
    copy_items(own, own_tail, victim, *head + 1, n - 1);
    return n;
}

unsigned wsfj_run_queue_steal(struct wsfj_run_queue *victim, struct wsfj_run_queue *own, struct wsfj_item *item)
{
    uint64_t head, own_tail = load_relaxed(&own->tail);
    /* QUEUE-2: acquire, as in a push. One more than there is room for, because the thief runs one. */
    unsigned n, most = WSFJ_RUN_QUEUE_SIZE + 1 - (unsigned)(own_tail - load_acquire(&own->head));

    /* A check without the lock: mostly there is nothing. */
    if (load_relaxed(&victim->head) >= load_relaxed(&victim->tail))
        return 0;
    order_lock(victim);
    /* A copy takes as long as some short tasks, which the owner takes meanwhile. So after a failed claim the thief tries
     * half as many. */
    while ((n = copy_share(victim, own, item, &head, most)) > 0 && !claim(victim, head, n))
        most = n / 2;
    order_unlock(victim);
    wsfj_chaos();
    if (n > 1)
        store_seq(&own->tail, own_tail + n - 1); /* QUEUE-1, PARK-5 */
    return n;
}

static bool take_next(struct wsfj_run_queue *ring, uint64_t state, struct wsfj_item *item)
{
    *item = slot_read(&ring->next);
    wsfj_chaos();
    /* QUEUE-3: each full state stands for one item. The thread that makes the slot empty has the item, and has read it
     * whole. If a thief marks it as seen meanwhile, the owner fails and tries again. */
    return cas_acq_rel(&ring->next_state, &state, (state | WSFJ_NEXT_FULL | WSFJ_NEXT_SEEN) + 1);
}

bool wsfj_run_queue_take_next(struct wsfj_run_queue *ring, struct wsfj_item *item)
{
    uint64_t state;

    while ((state = load_acquire(&ring->next_state)) & WSFJ_NEXT_FULL) {
        if (take_next(ring, state, item))
            return true;
    }
    return false;
}

bool wsfj_run_queue_take_next_of(struct wsfj_run_queue *ring, const ws_group *group, struct wsfj_item *item)
{
    uint64_t state = load_acquire(&ring->next_state);

    return state & WSFJ_NEXT_FULL && (const ws_group *)load_relaxed(&ring->next.group) == group &&
           take_next(ring, state, item);
}

bool wsfj_run_queue_steal_next(struct wsfj_run_queue *ring, struct wsfj_item *item)
{
    uint64_t state = load_acquire(&ring->next_state);

    if (!(state & WSFJ_NEXT_FULL))
        return false;
    if (state & WSFJ_NEXT_SEEN)
        return take_next(ring, state, item);
    (void)cas_acq_rel(&ring->next_state, &state, state | WSFJ_NEXT_SEEN);
    return false;
}

WSFJ_COLD void wsfj_run_queue_put_next_again(struct wsfj_run_queue *ring, ws_function *fn, void *arg, ws_group *group)
{
    uint64_t tail = load_relaxed(&ring->tail);
    struct wsfj_item displaced;

    if (wsfj_run_queue_take_next(ring, &displaced)) {
        slot_write(slot_at(ring, tail), displaced);
        wsfj_chaos();
        store_release(&ring->tail, tail + 1); /* QUEUE-1, PARK-5: as in wsfj_run_queue_try_put_next() */
    }
    (void)wsfj_run_queue_try_put_next(ring, fn, arg, group); /* run-next is empty, and only the owner fills it */
}
