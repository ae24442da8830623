/* SPDX-License-Identifier: MIT */
/* The reductions of a program that is searched for races: the whole tree, down to single iterations, by spawns. */
#ifndef WSFJ_RACE_REDUCE_H
#define WSFJ_RACE_REDUCE_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "race_loop.h"
#include "reduce_fold.h"

#define WSFJ_REDUCE_RACED(R, id, op, leaf, list, names, params, f, I, i)                                               \
    WSFJ_REDUCE_BEGIN(R, op, list, names, params, f, I, i);                                                            \
    WS_TASK(R, f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                                 \
    {                                                                                                                  \
        const uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                     \
        if (wsfj_n == 0)                                                                                               \
            return id;                                                                                                 \
        if (wsfj_n > 1) {                                                                                              \
            const I wsfj_mid = (I)((uint64_t)wsfj_lo + wsfj_tree_split(0, wsfj_n));                                    \
            __typeof__(R) wsfj_x, wsfj_y;                                                                              \
            ws_spawn(f, &wsfj_x, wsfj_lo, wsfj_mid WSFJ_UN names);                                                     \
            wsfj_y = ws_call(f, wsfj_mid, wsfj_hi WSFJ_UN names);                                                      \
            ws_sync();                                                                                                 \
            return wsfj_join_##f(wsfj_x, wsfj_y);                                                                      \
        }                                                                                                              \
        return leaf;                                                                                                   \
    }                                                                                                                  \
    WSFJ_AGAIN_END WSFJ_EACH(__typeof__(R), f, (WSFJ_EACH_FRAME I i WSFJ_UN params))

#define WSFJ_REDUCE_2(R, id, op, list, names, params, f, I, i)                                                         \
    WSFJ_REDUCE_RACED(R, id, op, WSFJ_LEAF(f, I, 0, names), list, names, params, f, I, i)
#define WSFJ_REDUCE_ANY_2(R, id, op, list, names, params, f, I, i)                                                     \
    WSFJ_REDUCE_RACED(R, id, op, wsfj_join_##f(id, WSFJ_LEAF(f, I, 0, names)), list, names, params, f, I, i)

#endif
