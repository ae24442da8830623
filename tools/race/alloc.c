/* SPDX-License-Identifier: MIT */
/*
 * The heap. These replace the C library's functions for everything in the process. What was recorded of a block is
 * forgotten when it is allocated; a free writes all of it.
 */
#define _GNU_SOURCE
#include "shadow.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static void *fresh(void *p)
{
    if (race_checks() && p) {
        const size_t size = malloc_usable_size(p);

        race_forget((uintptr_t)p, (uintptr_t)p + size);
        if (UNLIKELY(race.view))
            race_block_new((uintptr_t)p, size);
    }
    return p;
}

static void freed(void *p, uintptr_t pc)
{
    if (race_checks() && p) {
        race.flags |= WAS_FREE;
        race_range((uintptr_t)p, malloc_usable_size(p), WRITE, pc);
        race.flags &= ~(uint32_t)WAS_FREE;
    }
    if (UNLIKELY(__atomic_load_n(&race_blocks, __ATOMIC_RELAXED) != 0))
        race_block_gone((uintptr_t)p);
}

EXPORTED void *malloc(size_t n)
{
    return fresh(__libc_malloc(n));
}
EXPORTED void *calloc(size_t n, size_t size)
{
    return fresh(__libc_calloc(n, size));
}
EXPORTED void free(void *p)
{
    freed(p, RETURN_PC);
    __libc_free(p);
}
EXPORTED void *realloc(void *p, size_t n)
{
    freed(p, RETURN_PC);
    return fresh(__libc_realloc(p, n));
}
EXPORTED void *reallocarray(void *p, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    freed(p, RETURN_PC);
    return fresh(__libc_realloc(p, n * size));
}
EXPORTED void *memalign(size_t align, size_t n)
{
    return fresh(__libc_memalign(align, n));
}
EXPORTED void *aligned_alloc(size_t align, size_t n)
{
    return fresh(__libc_memalign(align, n));
}
EXPORTED int posix_memalign(void **to, size_t align, size_t n)
{
    void *p;

    if (align < sizeof(void *) || (align & (align - 1)) != 0)
        return EINVAL;
    p = fresh(__libc_memalign(align, n));
    if (!p)
        return ENOMEM;
    *to = p;
    return 0;
}
