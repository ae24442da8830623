/* SPDX-License-Identifier: MIT */
/* The serial elision of the reductions: the same tree, and for WS_REDUCE_ANY the plain loop. */
#ifndef WSFJ_REDUCE_SERIAL_H
#define WSFJ_REDUCE_SERIAL_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop_serial.h"
#include "reduce_fold.h"

#define WSFJ_REDUCE_2(R, id, op, list, names, params, f, I, i)                                                         \
    WSFJ_REDUCE_BEGIN(R, op, list, names, params, f, I, i);                                                            \
    WSFJ_REDUCE_TREE(R, names, params, f, I);                                                                          \
    WS_TASK(R, f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                                 \
    {                                                                                                                  \
        if (wsfj_lo < wsfj_hi)                                                                                         \
            return wsfj_range_##f(wsfj_lo, wsfj_hi WSFJ_UN names);                                                     \
        return id;                                                                                                     \
    }                                                                                                                  \
    WSFJ_AGAIN_END WSFJ_EACH(__typeof__(R), f, (I i WSFJ_UN params))

#define WSFJ_REDUCE_ANY_2(R, id, op, list, names, params, f, I, i)                                                     \
    WSFJ_REDUCE_BEGIN(R, op, list, names, params, f, I, i);                                                            \
    WSFJ_REDUCE_ANY_RANGE(R, names, params, f, I);                                                                     \
    WS_TASK(R, f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                                 \
    {                                                                                                                  \
        return wsfj_range_##f(id, wsfj_lo, wsfj_hi WSFJ_UN names);                                                     \
    }                                                                                                                  \
    WSFJ_AGAIN_END WSFJ_EACH(__typeof__(R), f, (I i WSFJ_UN params))

#endif
