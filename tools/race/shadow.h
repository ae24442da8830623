/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of each place in memory: a cell for eight bytes, or for 4, 2 or 1 on pages where narrower accesses
 * have been seen. A table of chunks leads to pages, a small cache of pages saves the way.
 */
#ifndef RACE_SHADOW_H
#define RACE_SHADOW_H

#include "detector.h"

#pragma GCC visibility push(hidden)

/** The last write and a read, each with the strand's number and the context. 0: none. */
struct cell {
    uint32_t write_time, read_time;
    uint32_t write, read;
};
/** A write_time that says: `write` is the first of a list of accesses (all_sets.c). */
#define LISTED UINT32_MAX

struct page {
    struct cell *cells;
    uint32_t lists; /**< how many cells may have a list */
    uint8_t shift;  /**< a cell stands for 1 << shift bytes */
};

enum { PAGE_BITS = 12, CHUNK_BITS = 28, ADDRESS_BITS = 47, CACHED = 256 };
#define PAGE_SIZE ((uintptr_t)1 << PAGE_BITS)

/** Where the cells of a page are. */
struct cached {
    uintptr_t tag;  /**< (number of the page << 2) + its shift + 1; 0: none */
    uintptr_t base; /**< the cell of address a is at base + (a << (CELL_BITS - shift)) */
};
enum { CELL_BITS = 4 };
extern struct cached race_cache[CACHED];

void race_shadow_start(void);
struct page *race_page(uintptr_t a);
struct page *race_page_refine(uintptr_t a, unsigned shift);
struct page *race_page_find(uintptr_t a);
void race_page_lists(uintptr_t a);
void race_forget(uintptr_t a, uintptr_t end);
void race_forget_near(uintptr_t a, uintptr_t end);
size_t race_shadow_bytes(void);

/** The entry of an aligned access of 1 << width bytes, if cells of its page are as wide, and if it is there. */
ALWAYS_INLINE const struct cached *race_cached(uintptr_t a, unsigned width)
{
    /* The lowest bits turn up as the highest ones: then no tag is equal. */
    const uintptr_t page = (a >> width | a << (64 - width) % 64) >> (PAGE_BITS - width);
    const struct cached *c = &race_cache[page & (CACHED - 1)];

    return LIKELY(c->tag == (page << 2) + width + 1) ? c : NULL;
}
ALWAYS_INLINE struct cell *race_cell(const struct cached *c, uintptr_t a, unsigned width)
{
    return (struct cell *)(c->base + (a << (CELL_BITS - width)));
}

/* all_sets.c */
struct conflict;
void race_check_listed(struct cell *c, uintptr_t a, size_t size, enum kind kind, uint32_t me);
void race_list_free(struct cell *c);
void race_list_copy(struct cell *to, const struct cell *from);
/** Calls `found` for each access of the list. */
void race_list_each(const struct cell *c, void (*found)(uint32_t t, uint32_t context, enum kind kind, void *arg),
                    void *arg);

#pragma GCC visibility pop

#endif
