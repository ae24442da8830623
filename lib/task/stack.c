/* SPDX-License-Identifier: MIT */
#include "task/stack.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "base/failpoint.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

/* Lines for each byte of call stack: a frame with one pending child may be as small as 20 bytes (gcc inlines fib nine
 * levels deep into 176), and a line has 64. So the call stack overflows first. */
#define LINE_BYTES_PER_STACK_BYTE 4
/* A loop calls its children from this many pending ones on: 4 MiB of lines, bounded whatever the loop's length. */
#define SOFT_LINES 65536
/* Lines above the soft limit that loops leave to what they call. */
#define RESERVE_LINES 1024
#define SMALLEST_AREA ((size_t)64 << 10)
#define AREA_PART 8
#define GUARD ((size_t)64 << 10)
/* The deque of code outside any region has no call stack of its own. */
#define PRIVATE_LINES ((size_t)1 << 18)
/* What trimming leaves of the call stack: nothing; with a sanitizer enough for the frames of a strand that has ended. */
#if WSFJ_ASAN || WSFJ_TSAN
#define KEPT ((size_t)64 << 10)
#else
#define KEPT ((size_t)0)
#endif

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static bool install_guard(char *guard, size_t size)
{
    /* Keeps the mapping in one piece; mprotect would split it and soon meet vm.max_map_count. A guard refuses to be
     * populated: qemu-user says yes to any advice and does nothing. */
    if (!wsfj_mishap(WSFJ_AT_MADVISE) && madvise(guard, size, MADV_GUARD_INSTALL) == 0 &&
        madvise(guard, size, MADV_POPULATE_READ) != 0)
        return true;
    return !wsfj_mishap(WSFJ_AT_MPROTECT) && mprotect(guard, size, PROT_NONE) == 0;
}

void wsfj_stack_refresh(struct wsfj_stack *s)
{
    wsfj_assert(load_relaxed(&s->head.tail) == s->lines && load_relaxed(&s->first) == s->lines);
    /* The first task a stolen one spawns is public: whoever looks here next need not ask, nor force. E stays (THE-6). */
    store_relaxed(&s->head.limit, s->head.mode == WSFJ_MODE_NORMAL ? NULL : s->soft);
}

/* Maps without access, unlocks the mapping, then allows access. After mlockall(MCL_FUTURE) the kernel would otherwise fill
 * the whole mapping with pages at once, some 50 MiB, and never take one back. */
static char *map_lazily(size_t size)
{
    char *map = wsfj_mishap(WSFJ_AT_MMAP) ? MAP_FAILED
                                          : mmap(NULL, size, PROT_NONE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

    if (map == MAP_FAILED)
        return NULL;
    (void)munlock(map, size);
    (void)madvise(map, size, MADV_NOHUGEPAGE); /* lazily touched: a huge page would cost 2 MiB at the first touch */
    if (wsfj_mishap(WSFJ_AT_MPROTECT) || mprotect(map, size, PROT_READ | PROT_WRITE) != 0) {
        munmap(map, size);
        return NULL;
    }
    return map;
}

bool wsfj_stack_map(struct wsfj_stack *s, size_t size, enum wsfj_mode mode)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t area = round_up(size / AREA_PART > SMALLEST_AREA ? size / AREA_PART : SMALLEST_AREA, page);
    size_t nested = size ? size * LINE_BYTES_PER_STACK_BYTE : PRIVATE_LINES * WSFJ_LINE_BYTES;
    size_t soft = nested / WSFJ_LINE_BYTES < SOFT_LINES ? nested / WSFJ_LINE_BYTES : SOFT_LINES;
    /* What loops may fill, what they leave free, and on top of a full loop still as much depth as the call stack has. */
    size_t lines = round_up((soft + RESERVE_LINES) * WSFJ_LINE_BYTES + nested, page);
    size_t guard = round_up(GUARD, page);
    size_t all = area + lines + guard + size;
    char *map = map_lazily(all);

    if (!map)
        return false;
    wsfj_doors_find();
    if (!install_guard(map + area + lines, guard)) {
        munmap(map, all);
        return false;
    }
    s->head.mode = mode;
    s->head.area_start = map;
    s->head.area_end = map + area;
    /* The line before the first takes a store that nobody reads: it lies in the argument area's last bytes. */
    s->head.area_end -= WSFJ_LINE_BYTES;
    s->lines = (struct wsfj_line *)(void *)(map + area);
    s->last = s->lines + lines / WSFJ_LINE_BYTES;
    s->soft = s->lines + soft;
    s->full = s->soft + RESERVE_LINES / 2;
    s->map = map;
    s->guard = map + area + lines;
    s->low = s->guard + guard;
    s->head.area = s->head.area_start;
    s->size = size;
    s->map_size = all;
    store_relaxed(&s->head.tail, s->lines);
    store_relaxed(&s->head.exposed, mode == WSFJ_MODE_LOCKED ? s->last : s->lines);
    store_relaxed(&s->head.limit, s->soft);
    store_relaxed(&s->first, s->lines);
    return true;
}

void wsfj_stack_unmap(struct wsfj_stack *s)
{
    if (s->size)
        wsfj_context_drop(&s->context);
    munmap(s->map, s->map_size);
}

struct wsfj_stack *wsfj_stack_make(size_t size, enum wsfj_mode mode)
{
    struct wsfj_stack *s = wsfj_mishap(WSFJ_AT_ALLOC) ? NULL : aligned_alloc(_Alignof(struct wsfj_stack), sizeof *s);

    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    if (!wsfj_stack_map(s, size, mode)) {
        free(s);
        return NULL;
    }
    return s;
}

void wsfj_stack_destroy(struct wsfj_stack *s)
{
    wsfj_stack_unmap(s);
    free(s);
}

void wsfj_stack_trim(struct wsfj_stack *s)
{
    s->trimmed = KEPT == 0;
    if (wsfj_mishap(WSFJ_AT_MADVISE))
        return;
    (void)madvise(s->map, (size_t)(s->guard - s->map), MADV_DONTNEED);
    if (s->size > KEPT)
        (void)madvise(s->low, s->size - KEPT, MADV_DONTNEED);
}
