/* SPDX-License-Identifier: MIT */
/* Large mappings for stacks, and the guards inside them, in whole pages. A mapping takes memory only where it is touched. */
#ifndef WSFJ_BASE_MAPPING_H
#define WSFJ_BASE_MAPPING_H

#include "base/alloc.h"

#include <errno.h>
#include <unistd.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

static inline size_t wsfj_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* The least multiple of the page size that is not below `size`. */
static inline size_t wsfj_whole_pages(size_t size)
{
    return (size + wsfj_page_size() - 1) / wsfj_page_size() * wsfj_page_size();
}

/* Maps without access, unlocks the mapping, then allows access. After mlockall(MCL_FUTURE) the kernel would otherwise
 * fill the whole mapping with pages at once, some 50 MiB for a stack, and never take one back. NULL if the kernel
 * refuses; `call` then names the system call, and errno has its error. */
static inline char *wsfj_map_lazily(size_t size, const char **call)
{
    char *map = wsfj_map(size, PROT_NONE, MAP_NORESERVE | MAP_STACK);
    int error;

    *call = map ? "mprotect" : "mmap";
    if (!map)
        return NULL;
    (void)munlock(map, size);
    (void)madvise(map, size, MADV_NOHUGEPAGE); /* a huge page would cost 2 MiB at the first touch */
    if (wsfj_failpoint(WSFJ_AT_MPROTECT) || mprotect(map, size, PROT_READ | PROT_WRITE) != 0) {
        error = errno;
        munmap(map, size);
        errno = error;
        return NULL;
    }
    return map;
}

/* Makes pages of a mapping inaccessible. False if the kernel refuses. */
static inline bool wsfj_map_guard(char *guard, size_t size)
{
    /* madvise() keeps the mapping in one piece; mprotect() splits it and soon reaches vm.max_map_count. The second call
     * tests the guard, because qemu-user accepts any advice and does nothing: a guard refuses to be populated. */
    if (!wsfj_failpoint(WSFJ_AT_MADVISE) && madvise(guard, size, MADV_GUARD_INSTALL) == 0 &&
        madvise(guard, size, MADV_POPULATE_READ) != 0)
        return true;
    return !wsfj_failpoint(WSFJ_AT_MPROTECT) && mprotect(guard, size, PROT_NONE) == 0;
}

#endif
