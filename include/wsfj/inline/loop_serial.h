/* SPDX-License-Identifier: MIT */
/* The serial elision of the loops: the plain loop. */
#ifndef WSFJ_LOOP_SERIAL_H
#define WSFJ_LOOP_SERIAL_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "serial.h"

#define WSFJ_EACH(R, f, proto) WSFJ_INLINE R wsfj_body_1_##f proto
#define WSFJ_EACH_FRAME
#define WSFJ_EACH_CALL(f, args) wsfj_body_1_##f args
#define WSFJ_LOOP_WHERE
#define WSFJ_LOOP_HERE
#define WSFJ_EACH_VALUE(R, f, names) return wsfj_body_1_##f(wsfj_lo WSFJ_UN names)
#define WSFJ_LOOP_FUNCTION static WSFJ_UNUSED
#define WSFJ_LOOP_COUNT(lo, hi) ((lo) < (hi) ? (uint64_t)(hi) - (uint64_t)(lo) : (uint64_t)0)

#define WSFJ_LOOP_MAKE(grain, list, names, params, f, I, i)                                                            \
    WS_DECLARE_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list);                                                           \
    WSFJ_EACH(void, f, (I i WSFJ_UN params));                                                                          \
    WS_TASK_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                               \
    {                                                                                                                  \
        for (; wsfj_lo < wsfj_hi; wsfj_lo++)                                                                           \
            wsfj_body_1_##f(wsfj_lo WSFJ_UN names);                                                                    \
    }                                                                                                                  \
    WSFJ_EACH(void, f, (I i WSFJ_UN params))

#define WSFJ_RANGE_MAKE(grain, list, names, params, f, I, lo_hi)                                                       \
    WS_DECLARE_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list);                                                           \
    WSFJ_EACH(void, f, (WSFJ_RANGE_PROTO(I, WSFJ_UN lo_hi) WSFJ_UN params));                                           \
    WS_TASK_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                               \
    {                                                                                                                  \
        if (wsfj_lo < wsfj_hi)                                                                                         \
            wsfj_body_1_##f(wsfj_lo, wsfj_hi WSFJ_UN names);                                                           \
    }                                                                                                                  \
    WSFJ_EACH(void, f, (WSFJ_RANGE_PROTO(I, WSFJ_UN lo_hi) WSFJ_UN params))

#define ws_for(...) ws_run(__VA_ARGS__)

#endif
