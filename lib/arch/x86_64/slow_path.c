/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/slow_path.h"

#include "arch/arch.h"
#include "base/atomic.h"

#if defined __x86_64__

#include <cpuid.h>

/* Several threads may write this at once; all of them write the same values. */
struct wsfj_kept wsfj_kept;
static bool known;

_Static_assert(offsetof(struct wsfj_kept, vectors) == WSFJ_KEPT_VECTORS, "thunk.S");
_Static_assert(offsetof(struct wsfj_kept, asks_use) == WSFJ_KEPT_ASKS_USE, "thunk.S");
_Static_assert(offsetof(struct wsfj_kept, by_xsave) == WSFJ_KEPT_BY_XSAVE, "thunk.S");
_Static_assert(offsetof(struct wsfj_kept, area) == WSFJ_KEPT_AREA, "thunk.S");

struct wsfj_kept wsfj_slow_path_decide(const struct wsfj_processor *p)
{
    struct wsfj_kept kept = {.asks_use = p->tells_use};

    if ((p->enabled & WSFJ_XSTATE_AVX) == WSFJ_XSTATE_AVX)
        kept.vectors = WSFJ_VECTORS_YMM;
    if ((p->enabled & WSFJ_XSTATE_AVX512) == WSFJ_XSTATE_AVX512 && p->has_avx512f)
        kept.vectors = p->has_avx512bw ? WSFJ_VECTORS_ZMM_BW : WSFJ_VECTORS_ZMM;
    if ((p->enabled & WSFJ_XSTATE_TILES) == WSFJ_XSTATE_TILES) {
        kept.by_xsave = WSFJ_XSTATE_TILES;
        kept.area = ((uint64_t)p->area + 63) & ~(uint64_t)63;
    }
    return kept;
}

static uint64_t read_xcr0(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static struct wsfj_processor ask_processor(void)
{
    struct wsfj_processor p = {.enabled = 0};
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return p;
    p.enabled = read_xcr0();
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        p.has_avx512f = b & bit_AVX512F;
        p.has_avx512bw = b & bit_AVX512BW;
    }
    if (__get_cpuid_count(13, 0, &a, &b, &c, &d))
        p.area = b;
    p.tells_use = __get_cpuid_count(13, 1, &a, &b, &c, &d) && a & 4u;
    return p;
}

void wsfj_slow_path_find(void)
{
    struct wsfj_processor p;
    struct wsfj_kept kept;

    if (load_acquire(&known)) /* pairs with the release store below: wsfj_kept is filled in */
        return;
    p = ask_processor();
    kept = wsfj_slow_path_decide(&p);
    store_relaxed(&wsfj_kept.vectors, kept.vectors);
    store_relaxed(&wsfj_kept.asks_use, kept.asks_use);
    store_relaxed(&wsfj_kept.by_xsave, kept.by_xsave);
    store_relaxed(&wsfj_kept.area, kept.area);
    store_release(&known, true);
}

#endif
