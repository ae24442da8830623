/* SPDX-License-Identifier: MIT */
#include "task/stack.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "base/mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes of descriptors for each byte of call stack. A frame with one pending child may be as small as 20 bytes (gcc
 * inlines fib nine levels deep into 176 bytes), and a descriptor has 64. So the call stack overflows first. */
#define DESCRIPTOR_BYTES_PER_STACK_BYTE 4
/* With SOFT pending children, a loop calls further ones: 4 MiB of descriptors, whatever the loop's length. RESERVE: descriptors
 * above that, for what the loop calls. Tests may set smaller numbers. */
#ifdef WSFJ_FULL_AT
#define SOFT ((size_t)WSFJ_FULL_AT)
#define RESERVE 2
#else
#define SOFT ((size_t)65536)
#define RESERVE 1024
#endif
#define SMALLEST_AREA ((size_t)64 << 10)
#define AREA_PART 8
/* A frame that is larger than the guard, and touched at its far end first, lies in the deque without a fault. The
 * kernel leaves as much below a process's stack (stack_guard_gap). Below 2 MiB, a stack has a guard of half its
 * size. */
#define GUARD ((size_t)1 << 20)
#define SMALLEST_GUARD ((size_t)64 << 10)
/* A deque of code outside any region has no call stack and this many descriptors. */
#define PRIVATE_DESCRIPTORS ((size_t)1 << 18)
/* LeakSanitizer is shown so many descriptors, and the argument area: it reads all of this, at 0.4 ms for a MiB. */
#define SHOWN_DESCRIPTORS 1024
/* What trimming keeps of the call stack: nothing; with ThreadSanitizer enough for the frames of a fiber that has
 * ended. */
#if WSFJ_TSAN
#define KEPT ((size_t)64 << 10)
#else
#define KEPT ((size_t)0)
#endif

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static size_t guard_bytes(size_t size)
{
    size_t half = size / 2 < GUARD ? size / 2 : GUARD;

    return half > SMALLEST_GUARD ? half : SMALLEST_GUARD;
}

static size_t shown_size(const struct wsfj_stack *s)
{
    return (size_t)((char *)(s->bottom + SHOWN_DESCRIPTORS) - s->memory.map);
}

const char *wsfj_stack_refused = "mmap";

static bool refused(const char *call)
{
    store_relaxed(&wsfj_stack_refused, call);
    return false;
}

bool wsfj_stack_map(struct wsfj_stack *s, size_t size, enum wsfj_mode mode)
{
    size_t page = wsfj_page_size();
    size_t area = round_up(size / AREA_PART > SMALLEST_AREA ? size / AREA_PART : SMALLEST_AREA, page);
    size_t nested = size ? size * DESCRIPTOR_BYTES_PER_STACK_BYTE : PRIVATE_DESCRIPTORS * WSFJ_DESCRIPTOR_BYTES;
    size_t soft = nested / WSFJ_DESCRIPTOR_BYTES < SOFT ? nested / WSFJ_DESCRIPTOR_BYTES : SOFT;
    /* Room for a full loop, its reserve, and on top of that as many nested spawns as the call stack can hold. */
    size_t descriptors = round_up((soft + RESERVE) * WSFJ_DESCRIPTOR_BYTES + nested, page);
    size_t guard = round_up(guard_bytes(size), page);
    size_t all = area + descriptors + guard + size;
    const char *call;
    char *map = wsfj_map_lazily(all, &call);
    int error;

    if (!map)
        return refused(call);
    wsfj_slow_path_find();
    if (!wsfj_map_guard(map + area + descriptors, guard)) {
        error = errno;
        munmap(map, all);
        errno = error;
        return refused("mprotect");
    }
    s->deque.wsfj_mode = mode;
    s->deque.wsfj_area_start = map;
    s->deque.wsfj_area_end = map + area;
    /* The descriptor before the first takes stores that no thread reads. It lies in the argument area's last bytes. */
    s->deque.wsfj_area_end -= WSFJ_DESCRIPTOR_BYTES;
    s->bottom = (struct wsfj_descriptor *)(void *)(map + area);
    s->memory.last = s->bottom + descriptors / WSFJ_DESCRIPTOR_BYTES;
    s->memory.soft = s->bottom + soft;
    s->memory.full = s->memory.soft + RESERVE / 2;
    s->memory.map = map;
    s->memory.guard = map + area + descriptors;
    s->memory.low = s->memory.guard + guard;
    s->deque.wsfj_area = s->deque.wsfj_area_start;
    s->memory.size = size;
    s->memory.map_size = all;
    wsfj_leaks_show(map, shown_size(s));
    store_relaxed(&s->deque.wsfj_tail, s->bottom);
    /* Only here: a stack that is used again keeps its E (THE-6). */
    store_relaxed(&s->deque.wsfj_exposed, mode == WSFJ_MODE_LOCKED ? s->memory.last : s->bottom);
    store_relaxed(&s->offered, s->bottom);
    store_relaxed(&s->deque.wsfj_limit, s->memory.soft);
    store_relaxed(&s->first, s->bottom);
    return true;
}

void wsfj_stack_unmap(struct wsfj_stack *s)
{
    if (s->memory.size)
        wsfj_context_drop(&s->context);
    wsfj_leaks_hide(s->memory.map, shown_size(s));
    munmap(s->memory.map, s->memory.map_size);
}

struct wsfj_stack *wsfj_stack_make(size_t size, enum wsfj_mode mode)
{
    struct wsfj_stack *s = wsfj_aligned_alloc(_Alignof(struct wsfj_stack), sizeof *s);

    if (!s) {
        (void)refused("aligned_alloc");
        return NULL;
    }
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
    s->pool.trimmed = KEPT == 0;
    if (wsfj_failpoint(WSFJ_AT_MADVISE))
        return;
    (void)madvise(s->memory.map, (size_t)(s->memory.guard - s->memory.map), MADV_DONTNEED);
    if (s->memory.size > KEPT)
        (void)madvise(s->memory.low, s->memory.size - KEPT, MADV_DONTNEED);
}
