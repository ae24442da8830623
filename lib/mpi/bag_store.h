/* SPDX-License-Identifier: MIT */
/* Tasks of a bag that no worker has begun: the place of one worker. The worker takes the newest, a thief the oldest. A task
 * lies in one piece, so a chunk for another rank is a copy of the oldest ones as they lie here. Under its lock. */
#ifndef LIB_MPI_BAG_STORE_H
#define LIB_MPI_BAG_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before the bytes of a task, on all ranks in the same form. */
struct bag_item {
    uint32_t function;
    uint32_t size;   /* of its bytes */
    uint32_t before; /* all bytes of the item before it in the store */
    uint32_t none;
};

struct bag_store {
    _Alignas(128) atomic_int lock; /* 1: held */
    char *bytes;                   /* items from `first` to `end`, the oldest first */
    size_t room, first, last, end; /* last: where the newest begins */
    size_t count;
    uint64_t begun; /* tasks taken out to run */
};

/* Bytes of an item with its header: a multiple of 16, so that each item is aligned. */
static inline size_t bag_item_bytes(size_t size)
{
    return sizeof(struct bag_item) + ((size + 15) & ~(size_t)15);
}

void bag_store_lock(struct bag_store *s);
void bag_store_unlock(struct bag_store *s);

static inline size_t bag_store_bytes(const struct bag_store *s)
{
    return s->end - s->first;
}

/* The new, newest task; its bytes are to be written by the caller. NULL: no memory. */
void *bag_store_push(struct bag_store *s, uint32_t function, size_t size);
/* Takes the newest task out. *item is a copy, `bytes` gets its bytes. False: there is none. */
bool bag_store_pop(struct bag_store *s, struct bag_item *item, void *bytes);
/* Moves up to n of the oldest tasks to `chunk`, as long as they have `most` bytes; returns their bytes. */
size_t bag_store_cut(struct bag_store *s, size_t n, void *chunk, size_t most);
/* Makes the tasks of a chunk the newest ones. False: no memory, or no chunk: then the first tasks of it may be in the store. */
bool bag_store_append(struct bag_store *s, const void *chunk, size_t size);
/* The newest task where it lies, or NULL. */
struct bag_item *bag_store_newest(const struct bag_store *s);
void bag_store_free(struct bag_store *s);

#endif
