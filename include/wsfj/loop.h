/* SPDX-License-Identifier: MIT */
/**
 * @file loop.h
 * Parallel loops: WS_LOOP and its kin, and ws_for.
 *
 * A loop is a task with the leading parameters lo and hi, so ws_call, ws_spawn, ws_run, WS_DECLARE_VOID and `static` work
 * on it:
 *
 * @code
 * static WS_LOOP(saxpy, long, i, float, a, const float *, x, float *, y) { y[i] += a * x[i]; }
 * ...
 * ws_for(saxpy, 0, n, 2.0f, x, y);
 * @endcode
 *
 * The body runs exactly once for each i with lo <= i < hi, in no particular order and in part at the same time; for
 * lo >= hi it does not run. `return;` goes on with the next iteration. The index is of any integer type of at most 64 bits.
 * The captured values, at most 8, are parameters: each piece of the loop has its own copies. A body may spawn, sync, call
 * loops, yield and block. Its children are done at the end of its iteration.
 *
 * The runtime divides a loop while it runs, as far as other workers have nothing to do. So a loop needs no schedule and no
 * grain; iterations may take different times. Each loop in the source remembers how long its iterations take, and a loop
 * of less than about 8 microseconds is not divided. If its iterations suddenly take longer, one run may be serial.
 *
 * The macros, with up to 8 captures at the end, which are types and names in turn:
 *
 * WS_LOOP(f, I, i, ...) { body }                  void f(I lo, I hi, ...)
 * WS_LOOP_GRAIN(grain, f, I, i, ...) { body }     the same; no piece of less than `grain` iterations is spawned
 * WS_LOOP_STATIC(f, I, i, ...) { body }           the same; the range is cut into one slice for each worker, and worker w gets
 *                                                 slice w, in each such loop: caches and pages are used again. This is a best
 *                                                 effort: an idle worker may take another one's slice (ws_stats::slices_home).
 * WS_RANGE(f, I, lo, hi, ...) { body }            void f(I lo, I hi, ...): the body gets a part of the range, lo < hi
 * WS_LOOP2(f, I, i, J, j, ...) { body }           void f(I ilo, I ihi, J jlo, J jhi, ...): halves the longer side
 * WS_LOOP3(f, I, i, J, j, K, k, ...) { body }     void f(I ilo, I ihi, J jlo, J jhi, K klo, K khi, ...)
 *
 * ws_for(f, lo, hi, captures...)                  runs the loop from any thread, and returns when it is done. In a task it is a
 *                                                 plain call. In other threads it is ws_run(), unless the loop is short: then it
 *                                                 runs at once, outside any region, where ws_worker_id() is -1. For a task with
 *                                                 a result, such as a reduction: ws_for(f, &result, lo, hi, captures...). Value:
 *                                                 0, or the error of ws_run() (then nothing has run). Thread-safe.
 *
 * A plain call f(lo, hi, ...) outside any region runs serially, as that of any task. WS_DECLARE_VOID(f, I, lo, I, hi, T1, a1,
 * ...) declares a loop.
 *
 * How a loop is divided follows Tzannes, Caragea, Barua, Vishkin, Lazy Binary-Splitting, PPoPP 2010; inline/loop_drive.h has
 * the difference. doc/loops.md has examples next to OpenMP's.
 */
#ifndef WSFJ_LOOP_H
#define WSFJ_LOOP_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "inline/loop_args.h"
#include "inline/loop2_task.h"
#if defined WSFJ_SERIAL || defined WSFJ_PROFILE || defined WSFJ_RACE
#define WSFJ_STATIC_MAKE WSFJ_LOOP_MAKE
#else
#include "inline/static_task.h"
#endif

/* The header of the user's code for one iteration, or one range. */
#ifdef WSFJ_RACE
#define WSFJ_EACH(R, f, proto) static WSFJ_RACED_BODY R wsfj_body_1_##f proto
#else
#define WSFJ_EACH(R, f, proto) WSFJ_INLINE R wsfj_body_1_##f proto
#endif

/* A loop, in all kinds of programs, which differ in WSFJ_LOOP_TASKS. */
#define WSFJ_LOOP_MAKE(grain, list, names, params, f, I, i)                                                            \
    WS_DECLARE_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list);                                                           \
    WSFJ_INDEX(f, I);                                                                                                  \
    WSFJ_EACH(void, f, (WSFJ_EACH_FRAME I i WSFJ_UN params));                                                          \
    WSFJ_AGAIN_BEGIN                                                                                                   \
    WSFJ_LOOP_TASKS(grain, list, names, params, f, I, WSFJ_LOOP_EACH_IN_RANGE(f, names));                              \
    WSFJ_AGAIN_END WSFJ_EACH(void, f, (WSFJ_EACH_FRAME I i WSFJ_UN params))
#define WSFJ_LOOP_EACH_IN_RANGE(f, names)                                                                              \
    for (; wsfj_lo < wsfj_hi; wsfj_lo++)                                                                               \
        WSFJ_EACH_CALL(f, (WSFJ_EACH_PASS wsfj_lo WSFJ_UN names));

#define WSFJ_RANGE_MAKE(grain, list, names, params, f, I, lo_hi)                                                       \
    WS_DECLARE_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list);                                                           \
    WSFJ_INDEX(f, I);                                                                                                  \
    WSFJ_EACH(void, f, (WSFJ_EACH_FRAME WSFJ_RANGE_PROTO(I, WSFJ_UN lo_hi) WSFJ_UN params));                           \
    WSFJ_AGAIN_BEGIN                                                                                                   \
    WSFJ_LOOP_TASKS(grain, list, names, params, f, I, WSFJ_LOOP_RANGE_IN_RANGE(f, names));                             \
    WSFJ_AGAIN_END WSFJ_EACH(void, f, (WSFJ_EACH_FRAME WSFJ_RANGE_PROTO(I, WSFJ_UN lo_hi) WSFJ_UN params))
#ifdef WSFJ_RACE /* each range is as short as it can be */
#define WSFJ_LOOP_RANGE_IN_RANGE(f, names)                                                                             \
    for (; wsfj_lo < wsfj_hi; wsfj_lo++)                                                                               \
        WSFJ_EACH_CALL(f, (WSFJ_EACH_PASS wsfj_lo, (__typeof__(wsfj_lo))(wsfj_lo + 1) WSFJ_UN names));
#else
#define WSFJ_LOOP_RANGE_IN_RANGE(f, names)                                                                             \
    if (wsfj_lo < wsfj_hi)                                                                                             \
        WSFJ_EACH_CALL(f, (WSFJ_EACH_PASS wsfj_lo, wsfj_hi WSFJ_UN names));
#endif

/** Defines a parallel loop over one index. */
#define WS_LOOP(...) WSFJ_LOOP_CUT(WSFJ_LOOP_MAKE, 1, __VA_ARGS__)
/** The same; no piece of less than `grain` iterations is spawned. */
#define WS_LOOP_GRAIN(grain, ...) WSFJ_LOOP_CUT(WSFJ_LOOP_MAKE, (uint64_t)(grain), __VA_ARGS__)
/** The same, cut into one slice for each worker. */
#define WS_LOOP_STATIC(...) WSFJ_LOOP_CUT(WSFJ_STATIC_MAKE, 1, __VA_ARGS__)
/** Defines a parallel loop over two indices. */
#define WS_LOOP2(...) WSFJ_LOOP2_CUT(WSFJ_LOOP2_MAKE, __VA_ARGS__)
/** Defines a parallel loop over three indices. */
#define WS_LOOP3(...) WSFJ_LOOP3_CUT(WSFJ_LOOP3_MAKE, __VA_ARGS__)
/** Defines a parallel loop whose body gets a part of the range. */
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
