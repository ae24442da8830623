/* SPDX-License-Identifier: MIT */
/**
 * @file reduce.h
 * Reductions: loops whose iterations have values, and a value of the whole.
 */
#ifndef WSFJ_REDUCE_H
#define WSFJ_REDUCE_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop.h"

#ifdef WSFJ_SERIAL
#include "inline/reduce_serial.h"
#elif defined WSFJ_PROFILE
#include "inline/reduce_profile.h"
#else
#include "inline/reduce_task.h"
#endif

#define WS_REDUCE(R, identity, combine, ...) WSFJ_LOOP_CUT(WSFJ_REDUCE_MAKE, (R, identity, combine), __VA_ARGS__)
#define WS_REDUCE_ANY(R, identity, combine, ...)                                                                       \
    WSFJ_LOOP_CUT(WSFJ_REDUCE_ANY_MAKE, (R, identity, combine), __VA_ARGS__)

#define WSFJ_REDUCE_MAKE(extra, ...) WSFJ_REDUCE_SPREAD(WSFJ_REDUCE_2, WSFJ_UN extra, __VA_ARGS__)
#define WSFJ_REDUCE_ANY_MAKE(extra, ...) WSFJ_REDUCE_SPREAD(WSFJ_REDUCE_ANY_2, WSFJ_UN extra, __VA_ARGS__)
#define WSFJ_REDUCE_SPREAD(macro, ...) macro(__VA_ARGS__)

/* Ready-made combinations. Each is a macro of two values, as the program's own may be. */
#define WS_ADD(a, b) ((a) + (b))
#define WS_MUL(a, b) ((a) * (b))
#define WS_MIN(a, b) ((b) < (a) ? (b) : (a))
#define WS_MAX(a, b) ((a) < (b) ? (b) : (a))
#define WS_AND(a, b) ((a) && (b))
#define WS_OR(a, b) ((a) || (b))
#define WS_BIT_AND(a, b) ((a) & (b))
#define WS_BIT_OR(a, b) ((a) | (b))
#define WS_BIT_XOR(a, b) ((a) ^ (b))

#endif
