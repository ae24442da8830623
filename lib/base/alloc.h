/* SPDX-License-Identifier: MIT */
/*
 * Memory from the C library and from the kernel. All of lib/ allocates through these functions, so that each allocation
 * has its failpoint. Each returns NULL with errno set if there is no memory. free() and munmap() give the memory back.
 */
#ifndef WSFJ_BASE_ALLOC_H
#define WSFJ_BASE_ALLOC_H

#include "base/failpoint.h"
#include "base/leaks.h"

#include <stdlib.h>
#include <sys/mman.h>

static inline void *wsfj_malloc(size_t size)
{
    return wsfj_failpoint(WSFJ_AT_ALLOC) ? NULL : malloc(size);
}

static inline void *wsfj_calloc(size_t n, size_t size)
{
    return wsfj_failpoint(WSFJ_AT_ALLOC) ? NULL : calloc(n, size);
}

/* On failure the old block stays as it is. */
static inline void *wsfj_realloc(void *old, size_t size)
{
    return wsfj_failpoint(WSFJ_AT_ALLOC) ? NULL : realloc(old, size);
}

/* `size` must be a multiple of `align`. */
static inline void *wsfj_aligned_alloc(size_t align, size_t size)
{
    return wsfj_failpoint(WSFJ_AT_ALLOC) ? NULL : aligned_alloc(align, size);
}

/* A private anonymous mapping: zero pages, each taken when first touched. `flags`: further MAP_ flags, or 0. */
static inline void *wsfj_map(size_t size, int protection, int flags)
{
    void *map = wsfj_failpoint(WSFJ_AT_MMAP) ? MAP_FAILED
                                             : mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    return map == MAP_FAILED ? NULL : map;
}

/* The same, readable and writable, for what keeps pointers of the program. */
static inline void *wsfj_map_shown(size_t size, int flags)
{
    void *map = wsfj_map(size, PROT_READ | PROT_WRITE, flags);

    if (map)
        wsfj_leaks_show(map, size);
    return map;
}

static inline void wsfj_unmap_shown(void *map, size_t size)
{
    wsfj_leaks_hide(map, size);
    munmap(map, size);
}

#endif
