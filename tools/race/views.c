/* SPDX-License-Identifier: MIT */
/*
 * WS_LOCAL. In the parallel program each worker has a slot of its own; here all tasks have the same one.
 *
 * What a task reads and writes in a slot is no race. Nor is what it uses behind a slot: a block of the heap that belongs to
 * the worker. A block belongs to a worker if a task has allocated it that had a view (it had called ws_local()), and if a
 * slot leads to it, directly or through other such blocks. Two accesses to it do not race if both tasks had a view. A task
 * without one has the address from elsewhere, so it races as ever. To have a view is like a lock, for these blocks alone.
 */
#define _GNU_SOURCE
#include "schedule.h"

#include <wsfj/inline/race_hooks.h>

#include <pthread.h>
#include <search.h>
#include <string.h>
#include <stdlib.h>

struct slot {
    uintptr_t begin, end;
};
enum { MOST_SLOTS = 4096 };
static struct slot *slots;
static size_t n_slots;

/** A block that a task with a view has allocated. */
struct block {
    uintptr_t begin, end;
    int owned;          /**< a slot led to it at some time */
    uint32_t seen;      /**< in which search */
    struct block *next; /**< to be searched */
};

/* Threads outside of regions free blocks, too. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int busy; /* this thread has the lock; tsearch() allocates and frees */
static void *blocks;      /* of tsearch() */
size_t race_blocks;
static struct block *to_search;
static uint32_t searches;

EXPORTED void *wsfj_race_local(int *used, void *slot, size_t size)
{
    size_t i = 0;

    if (race_here() && (race_self()->regions || race_self()->parent))
        return race_slot(slot, size);
    if (race_checks())
        race.view = HAS_VIEW;
    if (*used)
        return slot;
    *used = 1;
    if (!slots)
        slots = race_map(sizeof *slots * MOST_SLOTS);
    while (i < n_slots && slots[i].begin != (uintptr_t)slot)
        i++;
    if (i == MOST_SLOTS)
        race_die("more than %d WS_LOCAL variables: this is not covered", MOST_SLOTS);
    slots[i] = (struct slot){(uintptr_t)slot, (uintptr_t)slot + size};
    n_slots += i == n_slots;
    return slot;
}

EXPORTED void *wsfj_race_local_next(const int *used, void *slot, const void *last)
{
    if (!last && *used)
        return slot;
    return race_scheduled ? race_slot_next(slot, last) : NULL;
}

EXPORTED void wsfj_race_local_free(int *used, void *slot, size_t size)
{
    memset(slot, 0, size);
    *used = 0;
    if (race_scheduled)
        race_slots_free(slot);
}

int race_is_slot(uintptr_t a)
{
    for (size_t i = 0; i < n_slots; i++)
        if (a - slots[i].begin < slots[i].end - slots[i].begin)
            return 1;
    return 0;
}

/* Blocks do not overlap. So the one that a place is in compares as equal to it. */
static int by_address(const void *a, const void *b)
{
    const struct block *x = a, *y = b;

    return x->end <= y->begin ? -1 : x->begin >= y->end;
}

static struct block *block_at(uintptr_t a)
{
    const struct block key = {.begin = a, .end = a + 1};
    void *found = tfind(&key, &blocks, by_address);

    return found ? *(struct block **)found : NULL;
}

static void take(void)
{
    (void)pthread_mutex_lock(&lock);
    busy = 1;
}

static void give(void)
{
    busy = 0;
    (void)pthread_mutex_unlock(&lock);
}

void race_block_new(uintptr_t begin, size_t size)
{
    struct block *b;

    if (busy)
        return;
    take();
    b = malloc(sizeof *b);
    if (!b)
        race_die("no memory");
    *b = (struct block){begin, begin + size, 0, 0, NULL};
    if (!tsearch(b, &blocks, by_address))
        race_die("no memory");
    __atomic_store_n(&race_blocks, race_blocks + 1, __ATOMIC_RELAXED);
    give();
}

COLD void race_block_gone(uintptr_t begin)
{
    struct block *b;

    if (busy)
        return;
    take();
    b = block_at(begin);
    if (b) {
        (void)tdelete(b, &blocks, by_address);
        free(b);
        __atomic_store_n(&race_blocks, race_blocks - 1, __ATOMIC_RELAXED);
    }
    give();
}

/* Each word may be the address of a block. */
static void search(uintptr_t begin, uintptr_t end)
{
    for (uintptr_t a = (begin + sizeof a - 1) & ~(sizeof a - 1); a + sizeof a <= end; a += sizeof a) {
        struct block *b = block_at(*(const uintptr_t *)a);

        if (b && b->seen != searches) {
            b->owned = 1;
            b->seen = searches;
            b->next = to_search;
            to_search = b;
        }
    }
}

static void search_all(void)
{
    searches++;
    for (size_t i = 0; i < n_slots; i++)
        search(slots[i].begin, slots[i].end);
    while (to_search) {
        const struct block *b = to_search;

        to_search = b->next;
        search(b->begin, b->end);
    }
}

/** Whether two accesses do not race since each was behind a view. */
COLD int race_behind_views(uintptr_t a, uint32_t earlier, uint32_t later)
{
    const struct block *b;
    int owned;

    if (!(earlier & later & HAS_VIEW) || !race_blocks)
        return 0;
    take();
    b = block_at(a);
    if (b && !b->owned)
        search_all();
    owned = b && b->owned;
    give();
    return owned;
}
