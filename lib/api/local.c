/* SPDX-License-Identifier: MIT */
/*
 * WS_LOCAL: a slot for each worker, made on first use (wsfj/local.h).
 *
 * No lock: a segment and a slot get into their place by compare and swap and stay there until wsfj_local_free(), so
 * that fork() never finds them half made.
 */
#include "api/local.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "config/parse.h"

#include <string.h>
#include <wsfj/local.h>

enum {
    FIRST = 64, /* slots in the first segment */
    APART = 128 /* two cache lines: processors fetch them in pairs */
};
_Static_assert(WSFJ_WORKERS_MOST < FIRST << (WSFJ_LOCAL_SEGMENTS - 1), "each worker has a place in a segment");

static size_t rounded(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

/* A slot's number stands behind its value. */
static size_t *number_of(const struct wsfj_local *local, void *slot)
{
    return (size_t *)((char *)slot + rounded(local->wsfj_size, sizeof(size_t)));
}

static void *make_slot(const struct wsfj_local *local, size_t number)
{
    size_t align = local->wsfj_align > APART ? local->wsfj_align : APART;
    size_t size = rounded(rounded(local->wsfj_size, sizeof(size_t)) + sizeof(size_t), align);
    void *slot = wsfj_aligned_alloc(align, size);

    if (slot) {
        memset(slot, 0, size); /* the first touch decides on which NUMA node the pages are */
        *number_of(local, slot) = number;
    }
    return slot;
}

/* Puts `made` into an empty place, or frees it if another thread was faster. Release: a thread that sees the pointer
 * sees what it points to. Returns what is there. */
static void *put(void **place, void *made)
{
    void *there = NULL;

    if (cas_acq_rel(place, &there, made)) /* no memory: NULL for NULL */
        return made;
    free(made);
    return there;
}

/* Where a slot's pointer is. */
struct place {
    size_t segment, size, index;
};

static struct place place_of(size_t number)
{
    struct place p = {0, FIRST, number};

    if (number >= FIRST) {
        p.segment = (size_t)(__builtin_clzl(FIRST) - __builtin_clzl(number)) + 1;
        p.size = (size_t)FIRST << (p.segment - 1);
        p.index = number - p.size;
    }
    return p;
}

void *wsfj_local_of(struct wsfj_local *local, int worker)
{
    size_t number = (size_t)(worker + 1);
    struct place p = place_of(number);
    void **slots = load_acquire(&local->wsfj_segment[p.segment]);
    void *slot;

    if (!slots)
        slots = put((void **)&local->wsfj_segment[p.segment], wsfj_calloc(p.size, sizeof *slots));
    if (!slots)
        return NULL;
    slot = load_acquire(&slots[p.index]);
    return slot ? slot : put(&slots[p.index], make_slot(local, number));
}

WSFJ_EXPORT void *wsfj_local_next(struct wsfj_local *local, const void *previous)
{
    size_t end = (size_t)FIRST << (WSFJ_LOCAL_SEGMENTS - 1);

    for (size_t number = previous ? *number_of(local, (void *)previous) + 1 : 0; number < end; number++) {
        struct place p = place_of(number);
        void **slots = load_acquire(&local->wsfj_segment[p.segment]);
        void *slot = slots ? load_acquire(&slots[p.index]) : NULL;

        if (slot)
            return slot;
        if (!slots)
            number += p.size - p.index - 1;
    }
    return NULL;
}

WSFJ_EXPORT void wsfj_local_free(struct wsfj_local *local)
{
    for (size_t i = 0; i < WSFJ_LOCAL_SEGMENTS; i++) {
        void **slots = local->wsfj_segment[i];

        for (size_t k = 0; slots && k < (i ? (size_t)FIRST << (i - 1) : FIRST); k++)
            free(slots[k]);
        free(slots);
        local->wsfj_segment[i] = NULL;
    }
}
