/* SPDX-License-Identifier: MIT */
/*
 * The tree of a deterministic reduction, and its evaluation by one thread.
 *
 * The values of n iterations are the leaves 0 to n - 1. A node of level k has the leaves from j * 2^k to (j + 1) * 2^k - 1,
 * of which those from n on are missing. A node with both halves is combine(left, right); a node without a right half is
 * its left half. So the tree depends on n alone, and a node that begins at leaf m is the tree of its own leaves. This
 * tree is part of the binary interface: a change would change results in their last bits.
 *
 * The evaluation runs from left to right. It keeps the last complete node in `v`, and the complete left halves before it in
 * slot[level], as a binary counter keeps its digits: after p leaves, `v` has the level of p's lowest set bit. Blocks of
 * eight leaves are written out, so that their combinations need not wait for each other.
 */
#ifndef WSFJ_REDUCE_FOLD_H
#define WSFJ_REDUCE_FOLD_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "args.h"
#include "compiler.h"

#include <stdint.h>

/** At most so many bytes of partial results lie on the stack. */
#define WSFJ_REDUCE_BYTES 1024
/** The slots that are on the stack: enough for a tree of so many levels. */
#define WSFJ_REDUCE_SLOTS(R)                                                                                           \
    (sizeof(R) <= WSFJ_REDUCE_BYTES / 64  ? 64                                                                         \
     : sizeof(R) <= WSFJ_REDUCE_BYTES / 2 ? WSFJ_REDUCE_BYTES / (sizeof(R) <= WSFJ_REDUCE_BYTES / 2 ? sizeof(R) : 1)   \
                                          : 1)

/** The slots that a tree of n leaves needs; n > 0. */
WSFJ_INLINE unsigned wsfj_tree_slots(uint64_t wsfj_n)
{
    return 64u - (unsigned)__builtin_clzll(wsfj_n);
}

/** The level of the last complete node after p leaves; p > 0. */
WSFJ_INLINE unsigned wsfj_tree_level(uint64_t wsfj_p)
{
    return (unsigned)__builtin_ctzll(wsfj_p);
}

/** Of the leaves from p to e - 1, where the largest node begins that ends at e and is a right half; e - p > 1. The leaves
 *  end at e, or a node that is a right half begins there. */
WSFJ_INLINE uint64_t wsfj_tree_split(uint64_t wsfj_p, uint64_t wsfj_e)
{
    return (wsfj_e - 1) & ~(uint64_t)0 << (63 - __builtin_clzll(wsfj_p ^ (wsfj_e - 1)));
}

/** combine() once for each pair, so that a macro may use its arguments twice. */
#define WSFJ_REDUCE_JOIN(R, op, f)                                                                                     \
    WSFJ_INLINE __typeof__(R) wsfj_join_##f(__typeof__(R) wsfj_x, __typeof__(R) wsfj_y)                                \
    {                                                                                                                  \
        return op(wsfj_x, wsfj_y);                                                                                     \
    }

/* The leaves from p to e - 1, and `v` after them. */
#define WSFJ_REDUCE_FOLD(R, f, I, names)                                                                               \
    while (wsfj_p < wsfj_e) {                                                                                          \
        unsigned wsfj_k = 0;                                                                                           \
        uint64_t wsfj_step = 1;                                                                                        \
        if (wsfj_p)                                                                                                    \
            wsfj_slot[wsfj_tree_level(wsfj_p)] = wsfj_v;                                                               \
        if ((wsfj_p & 7) == 0 && wsfj_e - wsfj_p >= 8) {                                                               \
            const __typeof__(R) wsfj_0 = WSFJ_LEAF(f, I, wsfj_p, names), wsfj_1 = WSFJ_LEAF(f, I, wsfj_p + 1, names),  \
                                wsfj_2 = WSFJ_LEAF(f, I, wsfj_p + 2, names),                                           \
                                wsfj_3 = WSFJ_LEAF(f, I, wsfj_p + 3, names),                                           \
                                wsfj_4 = WSFJ_LEAF(f, I, wsfj_p + 4, names),                                           \
                                wsfj_5 = WSFJ_LEAF(f, I, wsfj_p + 5, names),                                           \
                                wsfj_6 = WSFJ_LEAF(f, I, wsfj_p + 6, names),                                           \
                                wsfj_7 = WSFJ_LEAF(f, I, wsfj_p + 7, names);                                           \
            wsfj_v = wsfj_join_##f(wsfj_join_##f(wsfj_join_##f(wsfj_0, wsfj_1), wsfj_join_##f(wsfj_2, wsfj_3)),        \
                                   wsfj_join_##f(wsfj_join_##f(wsfj_4, wsfj_5), wsfj_join_##f(wsfj_6, wsfj_7)));       \
            wsfj_k = 3;                                                                                                \
            wsfj_step = 8;                                                                                             \
        } else {                                                                                                       \
            wsfj_v = WSFJ_LEAF(f, I, wsfj_p, names);                                                                   \
        }                                                                                                              \
        for (; wsfj_p >> wsfj_k & 1; wsfj_k++)                                                                         \
            wsfj_v = wsfj_join_##f(wsfj_slot[wsfj_k], wsfj_v);                                                         \
        wsfj_p += wsfj_step;                                                                                           \
    }

/* The value of the whole tree, from `v` after its p leaves, the slots, and the right halves in `right` (a set of levels),
 * which lie in their slots too. */
#define WSFJ_REDUCE_END(f)                                                                                             \
    for (uint64_t wsfj_set = wsfj_right | (wsfj_p & (wsfj_p - 1)); wsfj_set; wsfj_set &= wsfj_set - 1) {               \
        const unsigned wsfj_k = wsfj_tree_level(wsfj_set);                                                             \
        wsfj_v = wsfj_right >> wsfj_k & 1 ? wsfj_join_##f(wsfj_v, wsfj_slot[wsfj_k])                                   \
                                          : wsfj_join_##f(wsfj_slot[wsfj_k], wsfj_v);                                  \
    }

#define WSFJ_LEAF(f, I, k, names) wsfj_leaf_##f(WSFJ_LOOP_HERE(I)((uint64_t)wsfj_lo + (k)) WSFJ_UN names)

/* What all kinds of reductions, in all kinds of programs, begin with. */
#define WSFJ_REDUCE_BEGIN(R, op, list, names, params, f, I, i)                                                         \
    WS_DECLARE(R, f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list);                                                             \
    WSFJ_INDEX(f, I);                                                                                                  \
    WSFJ_EACH(__typeof__(R), f, (WSFJ_EACH_FRAME I i WSFJ_UN params));                                                 \
    WSFJ_AGAIN_BEGIN                                                                                                   \
    WSFJ_REDUCE_JOIN(R, op, f)                                                                                         \
    static inline WSFJ_UNUSED __typeof__(R) wsfj_leaf_##f(WSFJ_LOOP_WHERE I wsfj_lo WSFJ_UN params)                    \
    {                                                                                                                  \
        WSFJ_EACH_VALUE(R, f, names);                                                                                  \
    }                                                                                                                  \
    WSFJ_NOTHING

/* The tree by one thread. Without memory for the slots of large values, the halves of the tree come one by one. */
#define WSFJ_REDUCE_TREE(R, names, params, f, I)                                                                       \
    WSFJ_LOOP_FUNCTION __typeof__(R) wsfj_fold_##f(WSFJ_LOOP_WHERE __typeof__(R) *wsfj_slot, __typeof__(R) wsfj_v,     \
                                                   uint64_t wsfj_p, uint64_t wsfj_e, I wsfj_lo WSFJ_UN params)         \
    {                                                                                                                  \
        WSFJ_REDUCE_FOLD(R, f, I, names)                                                                               \
        return wsfj_v;                                                                                                 \
    }                                                                                                                  \
    WSFJ_LOOP_FUNCTION __typeof__(R) wsfj_range_##f(WSFJ_LOOP_WHERE I wsfj_lo, I wsfj_hi WSFJ_UN params)               \
    {                                                                                                                  \
        WSFJ_REDUCE_START(R);                                                                                          \
        uint64_t wsfj_p = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), wsfj_right = 0;                                           \
        if (WSFJ_UNLIKELY(WSFJ_REDUCE_MANY(R, wsfj_p))) {                                                              \
            if (!WSFJ_REDUCE_BLOCK(R, wsfj_p)) {                                                                       \
                const I wsfj_mid = (I)((uint64_t)wsfj_lo + wsfj_tree_split(0, wsfj_p));                                \
                wsfj_v = wsfj_range_##f(WSFJ_LOOP_HERE wsfj_lo, wsfj_mid WSFJ_UN names);                               \
                return wsfj_join_##f(wsfj_v, wsfj_range_##f(WSFJ_LOOP_HERE wsfj_mid, wsfj_hi WSFJ_UN names));          \
            }                                                                                                          \
            wsfj_slot = WSFJ_REDUCE_ALIGNED(R);                                                                        \
        }                                                                                                              \
        wsfj_v = wsfj_fold_##f(WSFJ_LOOP_HERE wsfj_slot, wsfj_v, 0, wsfj_p, wsfj_lo WSFJ_UN names);                    \
        WSFJ_REDUCE_END(f)                                                                                             \
        if (wsfj_block)                                                                                                \
            __builtin_free(wsfj_block);                                                                                \
        return wsfj_v;                                                                                                 \
    }                                                                                                                  \
    WSFJ_NOTHING
/* The slots and the value of an evaluation that begins. The value is not used before it is set, but compilers do not see
 * that, and a bool must not have any bits. */
#define WSFJ_REDUCE_START(R)                                                                                           \
    __typeof__(R) wsfj_few[WSFJ_REDUCE_SLOTS(R)], *wsfj_slot = wsfj_few, wsfj_v;                                       \
    void *wsfj_block = NULL;                                                                                           \
    __builtin_memset((void *)&wsfj_v, 0, sizeof wsfj_v)
/* Memory for the slots of a tree of n leaves, one more than it needs, so that the first can be aligned. */
#define WSFJ_REDUCE_BLOCK(R, n) (wsfj_block = __builtin_malloc((wsfj_tree_slots(n) + 1) * sizeof(R)))
#define WSFJ_REDUCE_ALIGNED(R)                                                                                         \
    ((__typeof__(R) *)(((uintptr_t)wsfj_block + __alignof__(R) - 1) & ~(uintptr_t)(__alignof__(R) - 1)))
/* Whether the tree of n leaves needs more slots than there are on the stack. */
#define WSFJ_REDUCE_MANY(R, n) (WSFJ_REDUCE_SLOTS(R) < 64 && wsfj_tree_slots(n) > WSFJ_REDUCE_SLOTS(R))

/* An unordered reduction's iterations from lo to hi, after `v`. */
#define WSFJ_REDUCE_ANY_RANGE(R, names, params, f, I)                                                                  \
    WSFJ_LOOP_FUNCTION __typeof__(R) wsfj_range_##f(WSFJ_LOOP_WHERE __typeof__(R) wsfj_v, I wsfj_lo,                   \
                                                    I wsfj_hi WSFJ_UN params)                                          \
    {                                                                                                                  \
        for (; wsfj_lo < wsfj_hi; wsfj_lo++)                                                                           \
            wsfj_v = wsfj_join_##f(wsfj_v, WSFJ_LEAF(f, I, 0, names));                                                 \
        return wsfj_v;                                                                                                 \
    }                                                                                                                  \
    WSFJ_NOTHING

#endif
