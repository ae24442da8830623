/* SPDX-License-Identifier: MIT */
/**
 * @file loop.h
 * Parallel loops.
 */
#ifndef WSFJ_LOOP_H
#define WSFJ_LOOP_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "inline/loop_args.h"
#include "inline/loop2_task.h"
#if defined WSFJ_SERIAL || defined WSFJ_PROFILE
#define WSFJ_STATIC_MAKE WSFJ_LOOP_MAKE
#else
#include "inline/static_task.h"
#endif

#define WS_LOOP(...) WSFJ_LOOP_CUT(WSFJ_LOOP_MAKE, 1, __VA_ARGS__)
#define WS_LOOP_GRAIN(grain, ...) WSFJ_LOOP_CUT(WSFJ_LOOP_MAKE, (uint64_t)(grain), __VA_ARGS__)
#define WS_LOOP_STATIC(...) WSFJ_LOOP_CUT(WSFJ_STATIC_MAKE, 1, __VA_ARGS__)
#define WS_LOOP2(...) WSFJ_LOOP2_CUT(WSFJ_LOOP2_MAKE, __VA_ARGS__)
#define WS_LOOP3(...) WSFJ_LOOP3_CUT(WSFJ_LOOP3_MAKE, __VA_ARGS__)
#define WS_RANGE(...) WSFJ_CAT(WSFJ_RANGE_CUT_, WSFJ_ARITY(__VA_ARGS__))(__VA_ARGS__)

#define WSFJ_RANGE_CUT_1(f, I, lo, hi) WSFJ_LOOP_CUT(WSFJ_RANGE_MAKE, 1, f, I, (lo, hi))
#define WSFJ_RANGE_CUT_2(f, I, lo, hi, ...) WSFJ_LOOP_CUT(WSFJ_RANGE_MAKE, 1, f, I, (lo, hi), __VA_ARGS__)
#define WSFJ_RANGE_CUT_3 WSFJ_RANGE_CUT_2
#define WSFJ_RANGE_CUT_4 WSFJ_RANGE_CUT_2
#define WSFJ_RANGE_CUT_5 WSFJ_RANGE_CUT_2
#define WSFJ_RANGE_CUT_6 WSFJ_RANGE_CUT_2
#define WSFJ_RANGE_CUT_7 WSFJ_RANGE_CUT_2
#define WSFJ_RANGE_CUT_8 WSFJ_RANGE_CUT_2
#define WSFJ_RANGE_CUT_9 WSFJ_RANGE_CUT_2
#define WSFJ_RANGE_CUT_10 WSFJ_RANGE_CUT_2
#define WSFJ_RANGE_CUT_wsfj_odd(f, ...) WSFJ_LOOP_WRONG(f, ~)
#define WSFJ_RANGE_PROTO(I, ...) WSFJ_RANGE_PROTO_(I, __VA_ARGS__)
#define WSFJ_RANGE_PROTO_(I, lo, hi) I lo, I hi

#endif
