/* SPDX-License-Identifier: MIT */
/* The pages of shadow.h. Memory that is forgotten goes to a list for each width of cells, and is used again. */
#include "shadow.h"

#include <string.h>

struct cached race_cache[CACHED];

static struct page **chunks; /* 1 << (ADDRESS_BITS - CHUNK_BITS) */
static void *unused[4];      /* by shift */
static char *pool, *pool_end;
static size_t bytes_used;
static int lists_on_stacks; /* since the start */

void race_shadow_start(void)
{
    chunks = race_map(sizeof *chunks << (ADDRESS_BITS - CHUNK_BITS));
}

size_t race_shadow_bytes(void)
{
    return bytes_used;
}

static struct cell *cells_new(unsigned shift)
{
    const size_t size = (PAGE_SIZE >> shift) * sizeof(struct cell), block = (size_t)16 << 20;
    void *p = unused[shift];

    if (p) {
        memcpy(&unused[shift], p, sizeof unused[shift]);
        memset(p, 0, size);
        return p;
    }
    if ((size_t)(pool_end - pool) < size) {
        pool = race_map(block);
        pool_end = pool + block;
    }
    p = pool;
    pool += size;
    bytes_used += size;
    return p;
}

static void cells_free(struct cell *cells, unsigned shift)
{
    memcpy(cells, &unused[shift], sizeof unused[shift]);
    unused[shift] = cells;
}

struct page *race_page_find(uintptr_t a)
{
    struct page *chunk = a >> ADDRESS_BITS ? NULL : chunks[a >> CHUNK_BITS];

    return chunk ? &chunk[a >> PAGE_BITS & ((1u << (CHUNK_BITS - PAGE_BITS)) - 1)] : NULL;
}

static struct cached *cached(uintptr_t a)
{
    return &race_cache[a >> PAGE_BITS & (CACHED - 1)];
}

static struct page *cache(uintptr_t a, struct page *p)
{
    cached(a)->tag = (a >> PAGE_BITS << 2) + p->shift + 1;
    cached(a)->base = (uintptr_t)p->cells - ((a & ~(PAGE_SIZE - 1)) << (CELL_BITS - p->shift));
    return p;
}

/** The page of an address, which has cells then. */
struct page *race_page(uintptr_t a)
{
    struct page **chunk = &chunks[a >> CHUNK_BITS & ((1u << (ADDRESS_BITS - CHUNK_BITS)) - 1)], *p;

    if (!*chunk)
        *chunk = race_map(sizeof **chunk << (CHUNK_BITS - PAGE_BITS));
    p = &(*chunk)[a >> PAGE_BITS & ((1u << (CHUNK_BITS - PAGE_BITS)) - 1)];
    if (!p->cells) {
        p->cells = cells_new(3);
        p->shift = 3;
        p->lists = 0;
    }
    return cache(a, p);
}

/** Makes the cells of a page narrower; each new one begins as a copy of the one it comes from. */
COLD struct page *race_page_refine(uintptr_t a, unsigned shift)
{
    struct page *p = race_page(a);

    if (p->shift > shift) {
        const unsigned ratio = p->shift - shift;
        struct cell *old = p->cells, *fresh = cells_new(shift);

        for (size_t i = 0; i < PAGE_SIZE >> shift; i++) {
            fresh[i] = old[i >> ratio];
            if (fresh[i].write_time == LISTED && (i & ((1u << ratio) - 1)) != 0)
                race_list_copy(&fresh[i], &old[i >> ratio]);
        }
        cells_free(old, p->shift);
        p->cells = fresh;
        p->shift = (uint8_t)shift;
    }
    return cache(a, p);
}

static void forget_cells(struct page *p, size_t first, size_t n)
{
    if (p->lists)
        for (size_t i = first; i < first + n; i++)
            if (p->cells[i].write_time == LISTED)
                race_list_free(&p->cells[i]);
    memset(&p->cells[first], 0, n * sizeof *p->cells);
}

/** A cell gets a list. */
void race_page_lists(uintptr_t a)
{
    race_page_find(a)->lists++;
    lists_on_stacks |= race_on_stack(a);
}

/** As race_forget(), quickly for a small part of the stack. */
void race_forget_near(uintptr_t a, uintptr_t end)
{
    const struct cached *c = cached(a);
    const uintptr_t shift = (c->tag - 1) & 3;

    if (LIKELY((a ^ (end - 1)) < PAGE_SIZE) && LIKELY((c->tag - 1) >> 2 == a >> PAGE_BITS) && LIKELY(!lists_on_stacks)) {
        const uintptr_t first = a >> shift, last = (end - 1) >> shift;

        memset((char *)c->base + (first << CELL_BITS), 0, (last - first + 1) << CELL_BITS);
        return;
    }
    race_forget(a, end);
}

/** Forgets all accesses from a to `end`: the memory is free, or nobody's stack. Whole cells, outwards. */
void race_forget(uintptr_t a, uintptr_t end)
{
    while (a < end) {
        uintptr_t next = (a | (PAGE_SIZE - 1)) + 1, to = end < next ? end : next;
        struct page *p = race_page_find(a);

        if (!p) {
            next = (a | (((uintptr_t)1 << CHUNK_BITS) - 1)) + 1;
        } else if (p->cells) {
            size_t first = (a & (PAGE_SIZE - 1)) >> p->shift, last = ((to - 1) & (PAGE_SIZE - 1)) >> p->shift;

            if (to - a < PAGE_SIZE) {
                forget_cells(p, first, last - first + 1);
            } else {
                if (p->lists)
                    forget_cells(p, first, last - first + 1);
                cells_free(p->cells, p->shift);
                p->cells = NULL;
                cached(a)->tag = 0; /* of this page, or of another one that is found again */
            }
        }
        a = next;
    }
}
