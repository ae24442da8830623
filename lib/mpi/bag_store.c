/* SPDX-License-Identifier: MIT */
/* The place of a worker in a bag: an array that grows, with the oldest task at its front. */
#include "mpi/bag_store.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SPINS 100 /* then the holder may have lost its processor */

void bag_store_lock(struct bag_store *s)
{
    for (int i = 0; atomic_exchange_explicit(&s->lock, 1, memory_order_acquire); i++)
        while (atomic_load_explicit(&s->lock, memory_order_relaxed))
            if (++i > SPINS)
                sched_yield();
}

void bag_store_unlock(struct bag_store *s)
{
    atomic_store_explicit(&s->lock, 0, memory_order_release);
}

static struct bag_item *at(const struct bag_store *s, size_t offset)
{
    return (struct bag_item *)(void *)(s->bytes + offset);
}

/* Makes room for n bytes at the end: moves the tasks to the front if half of the array is free there, else grows. */
static bool make_room(struct bag_store *s, size_t n)
{
    size_t used = bag_store_bytes(s), room = s->room ? s->room : 4096;

    if (s->end + n <= s->room)
        return true;
    if (s->first >= s->room / 2 && used + n <= s->room) {
        memmove(s->bytes, s->bytes + s->first, used);
        s->last -= s->first;
        s->first = 0;
        s->end = used;
        return true;
    }
    while (room < s->end + n)
        room *= 2;
    char *bytes = realloc(s->bytes, room);

    if (!bytes)
        return false;
    s->bytes = bytes;
    s->room = room;
    return true;
}

/* The store is empty: it begins at the front again. */
static void restart(struct bag_store *s)
{
    s->first = s->last = s->end = 0;
}

void *bag_store_push(struct bag_store *s, uint32_t function, size_t size)
{
    size_t n = bag_item_bytes(size);

    if (!make_room(s, n))
        return NULL;
    struct bag_item *item = at(s, s->end);

    *item = (struct bag_item){function, (uint32_t)size, s->count ? (uint32_t)(s->end - s->last) : 0, 0};
    s->last = s->end;
    s->end += n;
    s->count++;
    return item + 1;
}

struct bag_item *bag_store_newest(const struct bag_store *s)
{
    return s->count ? at(s, s->last) : NULL;
}

bool bag_store_pop(struct bag_store *s, struct bag_item *item, void *bytes)
{
    if (!s->count)
        return false;
    *item = *at(s, s->last);
    memcpy(bytes, at(s, s->last) + 1, item->size);
    s->end = s->last;
    s->last -= item->before;
    s->begun++;
    if (!--s->count)
        restart(s);
    return true;
}

size_t bag_store_cut(struct bag_store *s, size_t n, void *chunk, size_t most)
{
    size_t to = s->first;

    while (n && s->count) {
        size_t size = bag_item_bytes(at(s, to)->size);

        if (to + size - s->first > most)
            break;
        to += size;
        s->count--;
        n--;
    }
    size_t taken = to - s->first;

    if (taken)
        memcpy(chunk, s->bytes + s->first, taken);
    s->first = to;
    if (!s->count)
        restart(s);
    return taken;
}

bool bag_store_append(struct bag_store *s, const void *chunk, size_t size)
{
    const char *from = chunk;

    if (!make_room(s, size))
        return false;
    for (size_t done = 0; done < size;) {
        struct bag_item item;

        if (size - done < sizeof item)
            return false;
        memcpy(&item, from + done, sizeof item);
        if (item.size > size - done - sizeof item)
            return false;
        memcpy(bag_store_push(s, item.function, item.size), from + done + sizeof item, item.size);
        done += bag_item_bytes(item.size);
    }
    return true;
}

void bag_store_free(struct bag_store *s)
{
    free(s->bytes);
    s->bytes = NULL;
    s->room = s->count = 0;
    restart(s);
}
