/* SPDX-License-Identifier: MIT */
/* Which registers the slow-path exits in thunk.S keep, and how. slow_path.c decides once, from what processor and
 * kernel report. */
#ifndef WSFJ_ARCH_X86_64_SLOW_PATH_H
#define WSFJ_ARCH_X86_64_SLOW_PATH_H

/* The width of the vectors that the exits save by move instructions. */
#define WSFJ_VECTORS_XMM 0
#define WSFJ_VECTORS_YMM 1
#define WSFJ_VECTORS_ZMM 2    /* and masks of 16 bits */
#define WSFJ_VECTORS_ZMM_BW 3 /* and masks of 64 bits */

/* Offsets of struct wsfj_kept for thunk.S; slow_path.c asserts them. */
#define WSFJ_KEPT_VECTORS 0
#define WSFJ_KEPT_ASKS_USE 4
#define WSFJ_KEPT_BY_XSAVE 8
#define WSFJ_KEPT_AREA 16

#ifndef __ASSEMBLER__

#include "base/base.h"

/* State components, as XCR0 and XGETBV number them. */
#define WSFJ_XSTATE_AVX 0x6u
#define WSFJ_XSTATE_AVX512 0xe6u
#define WSFJ_XSTATE_TILES 0x60000u /* AMX: the configuration, the tiles */

struct wsfj_processor {
    uint64_t enabled;  /* XCR0: what the kernel saves; 0 if there is no such register */
    uint32_t area;     /* bytes that XSAVE needs for all enabled components */
    bool has_avx512f;  /* zmm0 to zmm31, masks of 16 bits */
    bool has_avx512bw; /* masks of 64 bits */
    bool tells_use;    /* XGETBV tells which components are in use */
};

struct wsfj_kept {
    uint32_t vectors;  /* WSFJ_VECTORS_* */
    uint32_t asks_use; /* 1: each exit asks XGETBV what is in use; 0: everything counts as in use */
    uint32_t by_xsave; /* components that the exits save by XSAVE, if in use: the tiles */
    uint64_t area;     /* bytes for that XSAVE, a multiple of 64 */
};

struct wsfj_kept wsfj_slow_path_decide(const struct wsfj_processor *processor);

/* What thunk.S reads. */
extern __attribute__((visibility("hidden"))) struct wsfj_kept wsfj_kept;

#endif

#endif
