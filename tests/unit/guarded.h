/* SPDX-License-Identifier: MIT */
/* A block that the library takes from aligned_alloc(), with a guard behind its last byte: a size that is rounded wrong, for
 * what is written there, changes the guard. For programs whose __wrap_aligned_alloc() calls guarded_alloc(). */
#ifndef TESTS_UNIT_GUARDED_H
#define TESTS_UNIT_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *__real_aligned_alloc(size_t align, size_t size);

#define GUARD 64 /* bytes */
#define GUARDED 0xa5

/* Sizes around those that are rounded to: 8, a cache line, two, and a page. */
static const size_t guarded_sizes[] = {1,   7,   8,   9,   15,  16,  17,  56,  63,  64,  65,   112,  119,  120,
                                       121, 127, 128, 129, 136, 248, 255, 256, 257, 512, 4095, 4096, 4097, 8192};
#define GUARDED_SIZES (sizeof guarded_sizes / sizeof *guarded_sizes)

static unsigned char *guarded_end; /* of the newest block: what is behind it */
static bool guarded_whole;         /* C11: the size is a multiple of the alignment */

static inline void *guarded_alloc(size_t align, size_t size)
{
    size_t behind = (GUARD + align - 1) / align * align;
    unsigned char *block = size > PTRDIFF_MAX - behind ? NULL : __real_aligned_alloc(align, size + behind);

    if (!block)
        return NULL;
    guarded_whole = size % align == 0;
    guarded_end = block + size;
    memset(guarded_end, GUARDED, GUARD);
    return block;
}

/* Whether the newest block has room for `size` bytes from `start` on, and nothing was written behind it. */
static inline bool guard_holds(const void *start, size_t size)
{
    for (size_t i = 0; i < GUARD; i++)
        if (guarded_end[i] != GUARDED)
            return false;
    return guarded_whole && (uintptr_t)start + size <= (uintptr_t)guarded_end;
}

#endif
