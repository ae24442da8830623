/* SPDX-License-Identifier: MIT */
#include "queue/run_queue.h"

#include "arch/arch.h"
#include "task/item.h"

#define ONE WSFJ_RUN_QUEUE_ONE
#define NEXT ((uint64_t)WSFJ_RUN_QUEUE_NEXT)

static void entry_write(struct wsfj_entry *entry, struct wsfj_item item)
{
    wsfj_entry_write(entry, (uintptr_t)item.fn, (uintptr_t)item.arg, (uintptr_t)item.group);
}

/* The result may be torn, until a compare-and-swap shows that no other thread has taken the item. */
static struct wsfj_item entry_read(const struct wsfj_entry *entry)
{
    return (struct wsfj_item){(ws_function *)load_relaxed(&entry->fn), (void *)load_relaxed(&entry->arg),
                              (ws_group *)load_relaxed(&entry->group)};
}

/* One word after the other: the compiler then needs one register. */
static inline void entry_copy(struct wsfj_entry *to, const struct wsfj_entry *from)
{
    store_relaxed(&to->fn, load_relaxed(&from->fn));
    store_relaxed(&to->arg, load_relaxed(&from->arg));
    store_relaxed(&to->group, load_relaxed(&from->group));
}

/* `n` items are in the entries behind the tail. An item in run-next is there no longer: it is not the newest. */
static void publish(struct wsfj_run_queue *queue, unsigned n)
{
    wsfj_chaos();
    /* QUEUE-1: release, so a thread that sees the new tail sees the items. Sequentially consistent for PARK-5. */
    store_seq(&queue->tail, (load_relaxed(&queue->tail) & ~NEXT) + n * ONE);
}

void wsfj_run_queue_append(struct wsfj_run_queue *queue, const struct wsfj_item *items, unsigned n)
{
    uint64_t tail = load_relaxed(&queue->tail);

    for (unsigned i = 0; i < n; i++)
        entry_write(wsfj_run_queue_entry(queue, tail + i * ONE), items[i]);
    publish(queue, n);
}

bool wsfj_run_queue_push(struct wsfj_run_queue *queue, struct wsfj_item item)
{
    bool full = wsfj_run_queue_is_full(queue);

    if (!full)
        wsfj_run_queue_append(queue, &item, 1);
    return !full;
}

bool WSFJ_POLICY_FUNCTION(wsfj_run_queue_pop)(struct wsfj_run_queue *queue, struct wsfj_item *item)
{
    uint64_t head, tail = load_relaxed(&queue->tail) & ~NEXT;

    head = load_relaxed(&queue->head);
    do {
        if (head == tail)
            return false;
        *item = entry_read(wsfj_run_queue_entry(queue, head));
        wsfj_chaos();
    } while (!cas_acq_rel(&queue->head, &head, head + ONE)); /* QUEUE-2 */
    return true;
}

bool WSFJ_POLICY_FUNCTION(wsfj_run_queue_pop_next)(struct wsfj_run_queue *queue, struct wsfj_item *item)
{
    uint64_t tail = load_relaxed(&queue->tail), newest = (tail & ~NEXT) - ONE;

    *item = entry_read(wsfj_run_queue_entry(queue, newest));
    /* QUEUE-3: lowers the tail, then reads the head. A thief reads the head, then the tail. If there is still an older item,
     * a thief that takes the newest one later sees the lowered tail. */
    store_seq(&queue->tail, newest);
    wsfj_chaos();
    if (load_seq(&queue->head) < newest)
        return true;
    /* It is the only one, so a thief may have it: it is taken at the other end. */
    store_release(&queue->tail, tail);
    return wsfj_run_queue_pop(queue, item);
}

bool wsfj_run_queue_pop_next_of(struct wsfj_run_queue *queue, const ws_group *group, struct wsfj_item *item)
{
    const struct wsfj_entry *entry = wsfj_run_queue_entry(queue, load_relaxed(&queue->tail) - ONE);

    return load_relaxed(&entry->group) == (uintptr_t)group && wsfj_run_queue_pop_next(queue, item);
}

/* Claims `n` items from `head` on, which the caller has copied. False, with nothing claimed, if another thread was
 * faster. */
static bool claim(struct wsfj_run_queue *queue, uint64_t head, unsigned n)
{
    wsfj_chaos();
    /* QUEUE-2: the owner overwrites none of them while head is unchanged. So if head is still unchanged, the copies are
     * whole, and only this thread has them. Release: the copies come before the owner's next writes. Sequentially
     * consistent for QUEUE-3. */
    return cas_seq(&queue->head, &head, head + n * ONE);
}

unsigned wsfj_run_queue_take_half(struct wsfj_run_queue *queue, struct wsfj_item *items)
{
    bool got = false;

    if (wsfj_run_queue_is_full(queue)) {
        uint64_t head = load_relaxed(&queue->head);

        for (unsigned i = 0; i < WSFJ_RUN_QUEUE_SIZE / 2; i++)
            items[i] = entry_read(wsfj_run_queue_entry(queue, head + i * ONE));
        got = claim(queue, head, WSFJ_RUN_QUEUE_SIZE / 2);
    }
    return got ? WSFJ_RUN_QUEUE_SIZE / 2 : 0;
}

/* How many of `length` items a thief takes. */
static unsigned share(uint64_t length)
{
    uint64_t n = wsfj_policy.queue_quarters ? (length * wsfj_policy.queue_quarters + 3) / 4 : 1;

    return (unsigned)(n < length ? n : length);
}

/* The same, of the items between head and tail. */
static unsigned thief_share(struct wsfj_run_queue *victim, uint64_t head, uint64_t tail)
{
    uint64_t length = tail > head ? (tail - head) / ONE : 0;

    /* The two values are of different moments: with an old head the queue may seem longer than it can be. */
    if (length == 0 || length > WSFJ_RUN_QUEUE_SIZE)
        return 0;
    if (length > 1 || !(tail & NEXT)) /* QUEUE-3: the item in run-next is not among them */
        return share(length - (tail & NEXT));
    if (load_relaxed(&victim->seen) == tail)
        return 1;
    store_relaxed(&victim->seen, tail);
    return 0;
}

/* Copies items to free entries of another queue, in runs that wrap in neither queue. Word by word: the owner may overwrite them
 * meanwhile. */
static void copy_items(struct wsfj_run_queue *to, uint64_t to_index, const struct wsfj_run_queue *from,
                       uint64_t from_index, unsigned n)
{
    while (n > 0) {
        struct wsfj_entry *next = &to->entries[to_index % WSFJ_RUN_QUEUE_SIZE];
        const struct wsfj_entry *old = &from->entries[from_index % WSFJ_RUN_QUEUE_SIZE];
        unsigned to_end = (unsigned)(WSFJ_RUN_QUEUE_SIZE - to_index % WSFJ_RUN_QUEUE_SIZE);
        unsigned from_end = (unsigned)(WSFJ_RUN_QUEUE_SIZE - from_index % WSFJ_RUN_QUEUE_SIZE);
        unsigned run = to_end < from_end ? to_end : from_end;

        run = run < n ? run : n;
        for (const struct wsfj_entry *end = old + run; old != end; old++, next++)
            entry_copy(next, old);
        to_index += run;
        from_index += run;
        n -= run;
    }
}

/* Copies the thief's share, at most `most` items from *head on: the oldest to *item, the others to free entries of the thief's
 * own queue, behind the tail that others see. Returns how many. */
static unsigned copy_share(struct wsfj_run_queue *victim, struct wsfj_run_queue *own, struct wsfj_item *item,
                           uint64_t *head, unsigned most)
{
    unsigned n;

    *head = load_acquire(&victim->head);
    n = thief_share(victim, *head, load_seq(&victim->tail)); /* QUEUE-1; QUEUE-3: head, then tail */
    n = n < most ? n : most;
    if (n == 0)
        return 0;
    *item = entry_read(wsfj_run_queue_entry(victim, *head));
    copy_items(own, load_relaxed(&own->tail) / ONE, victim, *head / ONE + 1, n - 1);
    return n;
}

unsigned wsfj_run_queue_steal(struct wsfj_run_queue *victim, struct wsfj_run_queue *own, struct wsfj_item *item)
{
    uint64_t head;
    unsigned n, most = wsfj_run_queue_room(own) + 1; /* the thief runs one */

    if (wsfj_run_queue_length(victim) == 0)
        return 0; /* mostly */
    /* A copy takes as long as some short tasks, which the owner takes meanwhile. So after a failed claim the thief tries
     * half as many. */
    while ((n = copy_share(victim, own, item, &head, most)) > 0 && !claim(victim, head, n))
        most = n / 2;
    if (n > 1)
        publish(own, n - 1);
    return n;
}
