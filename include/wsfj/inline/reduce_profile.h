/* SPDX-License-Identifier: MIT */
/* The reductions of a profiled program: the halves of the tree as children, blocks as strands (loop_profile.h). */
#ifndef WSFJ_REDUCE_PROFILE_H
#define WSFJ_REDUCE_PROFILE_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop_profile.h"
#include "reduce_fold.h"

#define WSFJ_REDUCE_PROFILED(R, id, op, range, list, names, params, f, I, i)                                           \
    WSFJ_LOOP_SITE(f, I, 0);                                                                                           \
    WS_TASK(R, f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                                 \
    {                                                                                                                  \
        const uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                     \
        if (wsfj_n == 0)                                                                                               \
            return id;                                                                                                 \
        if (wsfj_n > wsfj_loop_block(&wsfj_site_##f, WSFJ_HERE->wsfj_profile)) {                                       \
            const I wsfj_mid = (I)((uint64_t)wsfj_lo + wsfj_tree_split(0, wsfj_n));                                    \
            __typeof__(R) wsfj_x, wsfj_y;                                                                              \
            ws_spawn(f, &wsfj_x, wsfj_lo, wsfj_mid WSFJ_UN names);                                                     \
            wsfj_y = ws_call(f, wsfj_mid, wsfj_hi WSFJ_UN names);                                                      \
            ws_sync();                                                                                                 \
            return wsfj_join_##f(wsfj_x, wsfj_y);                                                                      \
        }                                                                                                              \
        const uint64_t wsfj_began = wsfj_loop_now();                                                                   \
        __typeof__(R) wsfj_r = range;                                                                                  \
        wsfj_loop_learn(&wsfj_site_##f, wsfj_n, wsfj_began);                                                           \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_AGAIN_END WSFJ_EACH(__typeof__(R), f, (WSFJ_EACH_FRAME I i WSFJ_UN params))

#define WSFJ_REDUCE_2(R, id, op, list, names, params, f, I, i)                                                         \
    WSFJ_REDUCE_BEGIN(R, op, list, names, params, f, I, i);                                                            \
    WSFJ_REDUCE_TREE(R, names, params, f, I);                                                                          \
    WSFJ_REDUCE_PROFILED(R, id, op, wsfj_range_##f(wsfj_lo, wsfj_hi WSFJ_UN names), list, names, params, f, I, i)

#define WSFJ_REDUCE_ANY_2(R, id, op, list, names, params, f, I, i)                                                     \
    WSFJ_REDUCE_BEGIN(R, op, list, names, params, f, I, i);                                                            \
    WSFJ_REDUCE_ANY_RANGE(R, names, params, f, I);                                                                     \
    WSFJ_REDUCE_PROFILED(R, id, op, wsfj_range_##f(id, wsfj_lo, wsfj_hi WSFJ_UN names), list, names, params, f, I, i)

#endif
