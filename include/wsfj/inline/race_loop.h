/* SPDX-License-Identifier: MIT */
/*
 * The loops of a program that is searched for races. Every iteration may run in parallel with every other one. The loop
 * runs in index order, and the detector takes all iterations before the present one as one child (wsfj_race_iteration).
 * By a schedule, halves are children, down to one iteration.
 */
#ifndef WSFJ_RACE_LOOP_H
#define WSFJ_RACE_LOOP_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop_args.h"
#include "race_task.h"

#define WSFJ_EACH_FRAME struct wsfj_scope *wsfj_f WSFJ_UNUSED,
#define WSFJ_EACH_PASS &wsfj_v,
#define WSFJ_EACH_CALL(f, args)                                                                                        \
    do {                                                                                                               \
        struct wsfj_scope wsfj_v;                                                                                      \
        wsfj_race_iteration(&wsfj_spawned);                                                                            \
        wsfj_race_open(&wsfj_v, #f);                                                                                   \
        wsfj_body_1_##f args;                                                                                          \
        wsfj_race_close(&wsfj_v);                                                                                      \
    } while (0)

#define WSFJ_LOOP_WHERE
#define WSFJ_LOOP_HERE
#define WSFJ_EACH_VALUE(R, f, names)                                                                                   \
    struct wsfj_scope wsfj_v;                                                                                          \
    wsfj_race_open(&wsfj_v, #f);                                                                                       \
    __typeof__(R) wsfj_r = wsfj_body_1_##f(&wsfj_v, wsfj_lo WSFJ_UN names);                                            \
    wsfj_race_close(&wsfj_v);                                                                                          \
    return wsfj_r
#define WSFJ_LOOP_FUNCTION static WSFJ_RACED_BODY

/* What surrounds the iterations of a loop, in the function that has them. */
#define WSFJ_LOOP_BEGIN(f)                                                                                             \
    static const struct wsfj_site wsfj_here = {__FILE__, #f, __LINE__};                                                \
    struct wsfj_spawned wsfj_spawned;                                                                                  \
    wsfj_race_loop(&wsfj_spawned, &wsfj_here, __builtin_frame_address(0));
#define WSFJ_LOOP_END wsfj_race_loop_end(&wsfj_spawned);

#define WSFJ_LOOP_TASKS(grain, list, names, params, f, I, run)                                                         \
    WS_TASK_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                               \
    {                                                                                                                  \
        while (WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi) / 2 >= (grain) &&                                                     \
               wsfj_race_halves(WSFJ_HERE, WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), 4096)) {                                 \
            const I wsfj_mid = (I)((uint64_t)wsfj_lo + WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi) / 2);                         \
            ws_spawn(f, wsfj_lo, wsfj_mid WSFJ_UN names);                                                              \
            wsfj_lo = wsfj_mid;                                                                                        \
        }                                                                                                              \
        WSFJ_LOOP_BEGIN(f) run WSFJ_LOOP_END                                                                           \
    }                                                                                                                  \
    WSFJ_NOTHING

#define ws_for(...) ws_run(__VA_ARGS__)

#endif
