/* SPDX-License-Identifier: MIT */
/*
 * Makes a loop over two or three indices, in all kinds of programs. The task has lo and hi of each index. A rectangle
 * (or a box) that is worth it is halved across its longest side, until a tile is left that takes 4 to 8 microseconds.
 * So a tile is about as wide as high, and what it reads stays in the cache. Both halves of a rectangle are such loops.
 */
#ifndef WSFJ_LOOP2_TASK_H
#define WSFJ_LOOP2_TASK_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#ifdef WSFJ_SERIAL
#include "loop_serial.h"
#elif defined WSFJ_RACE
#include "race_loop.h"
#elif defined WSFJ_PROFILE
#include "loop_profile.h"
#else
#include "loop_task.h"
#endif

#ifndef WSFJ_RACE /* race_loop.h has what surrounds the iterations */
#define WSFJ_LOOP_BEGIN(f)
#define WSFJ_LOOP_END
#endif

/* The tile: the body, once. Without iterations in an inner dimension the outer ones need not run: there may be 2^64. */
#define WSFJ_TILE_2(f, I, J, names, params)                                                                             \
    WSFJ_LOOP_FUNCTION void wsfj_range_##f(WSFJ_LOOP_WHERE I wsfj_lo, I wsfj_hi, J wsfj_lo2, J wsfj_hi2 WSFJ_UN params) \
    {                                                                                                                   \
        WSFJ_LOOP_BEGIN(f)                                                                                              \
        for (; wsfj_lo < wsfj_hi && wsfj_lo2 < wsfj_hi2; wsfj_lo++)                                                     \
            for (J wsfj_j = wsfj_lo2; wsfj_j < wsfj_hi2; wsfj_j++)                                                      \
                WSFJ_EACH_CALL(f, (WSFJ_EACH_PASS wsfj_lo, wsfj_j WSFJ_UN names));                                      \
        WSFJ_LOOP_END                                                                                                   \
    }                                                                                                                   \
    WSFJ_NOTHING
#define WSFJ_TILE_3(f, I, J, K, names, params)                                                                         \
    WSFJ_LOOP_FUNCTION void wsfj_range_##f(WSFJ_LOOP_WHERE I wsfj_lo, I wsfj_hi, J wsfj_lo2, J wsfj_hi2, K wsfj_lo3,   \
                                           K wsfj_hi3 WSFJ_UN params)                                                  \
    {                                                                                                                  \
        WSFJ_LOOP_BEGIN(f)                                                                                             \
        for (; wsfj_lo < wsfj_hi && wsfj_lo2 < wsfj_hi2 && wsfj_lo3 < wsfj_hi3; wsfj_lo++)                             \
            for (J wsfj_j = wsfj_lo2; wsfj_j < wsfj_hi2; wsfj_j++)                                                     \
                for (K wsfj_k = wsfj_lo3; wsfj_k < wsfj_hi3; wsfj_k++)                                                 \
                    WSFJ_EACH_CALL(f, (WSFJ_EACH_PASS wsfj_lo, wsfj_j, wsfj_k WSFJ_UN names));                         \
        WSFJ_LOOP_END                                                                                                  \
    }                                                                                                                  \
    WSFJ_NOTHING

#ifdef WSFJ_RACE /* 0: there is no iteration; 1: there is one */
#define WSFJ_SIZE_2 WSFJ_SIDES(WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), WSFJ_LOOP_COUNT(wsfj_lo2, wsfj_hi2))
#define WSFJ_SIZE_3 WSFJ_SIDES(WSFJ_SIZE_2, WSFJ_LOOP_COUNT(wsfj_lo3, wsfj_hi3))
#define WSFJ_SIDES(a, b) ((a) && (b) ? (a) | (b) : (uint64_t)0)
#else
#define WSFJ_SIZE_2 wsfj_loop_times(WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), WSFJ_LOOP_COUNT(wsfj_lo2, wsfj_hi2))
#define WSFJ_SIZE_3 wsfj_loop_times(WSFJ_SIZE_2, WSFJ_LOOP_COUNT(wsfj_lo3, wsfj_hi3))
#endif

/* Spawns the lower half and keeps the upper one: a profile then runs the halves in index order. */
#define WSFJ_HALVE(I, lo, hi, spawn)                                                                                   \
    do {                                                                                                               \
        const I wsfj_mid = (I)((uint64_t)(lo) + WSFJ_LOOP_COUNT(lo, hi) / 2);                                          \
        spawn;                                                                                                         \
        lo = wsfj_mid;                                                                                                 \
    } while (0)
#define WSFJ_HALVE_2(f, I, J, names)                                                                                   \
    if (WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi) >= WSFJ_LOOP_COUNT(wsfj_lo2, wsfj_hi2))                                      \
        WSFJ_HALVE(I, wsfj_lo, wsfj_hi, ws_spawn(f, wsfj_lo, wsfj_mid, wsfj_lo2, wsfj_hi2 WSFJ_UN names));             \
    else                                                                                                               \
        WSFJ_HALVE(J, wsfj_lo2, wsfj_hi2, ws_spawn(f, wsfj_lo, wsfj_hi, wsfj_lo2, wsfj_mid WSFJ_UN names))
#define WSFJ_HALVE_3(f, I, J, K, names)                                                                                \
    if (WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi) >= WSFJ_LOOP_COUNT(wsfj_lo2, wsfj_hi2) &&                                    \
        WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi) >= WSFJ_LOOP_COUNT(wsfj_lo3, wsfj_hi3))                                      \
        WSFJ_HALVE(I, wsfj_lo, wsfj_hi,                                                                                \
                   ws_spawn(f, wsfj_lo, wsfj_mid, wsfj_lo2, wsfj_hi2, wsfj_lo3, wsfj_hi3 WSFJ_UN names));              \
    else if (WSFJ_LOOP_COUNT(wsfj_lo2, wsfj_hi2) >= WSFJ_LOOP_COUNT(wsfj_lo3, wsfj_hi3))                               \
        WSFJ_HALVE(J, wsfj_lo2, wsfj_hi2,                                                                              \
                   ws_spawn(f, wsfj_lo, wsfj_hi, wsfj_lo2, wsfj_mid, wsfj_lo3, wsfj_hi3 WSFJ_UN names));               \
    else                                                                                                               \
        WSFJ_HALVE(K, wsfj_lo3, wsfj_hi3,                                                                              \
                   ws_spawn(f, wsfj_lo, wsfj_hi, wsfj_lo2, wsfj_hi2, wsfj_lo3, wsfj_mid WSFJ_UN names))

#ifdef WSFJ_RACE
#define WSFJ_TILED(site, size, halve, f, ends, ends_in, names, params, ...)                                            \
    WS_TASK_VOID(f, __VA_ARGS__)                                                                                       \
    {                                                                                                                  \
        while (wsfj_race_halves(WSFJ_HERE, size, 64))                                                                  \
            halve;                                                                                                     \
        wsfj_range_##f(WSFJ_UN ends WSFJ_UN names);                                                                    \
    }                                                                                                                  \
    WSFJ_NOTHING
#elif defined WSFJ_SERIAL
#define WSFJ_TILED(site, size, halve, f, ends, ends_in, names, params, ...)                                            \
    WS_TASK_VOID(f, __VA_ARGS__)                                                                                       \
    {                                                                                                                  \
        wsfj_range_##f(WSFJ_UN ends WSFJ_UN names);                                                                    \
    }                                                                                                                  \
    WSFJ_NOTHING
#elif defined WSFJ_PROFILE
#define WSFJ_TILED(site, size, halve, f, ends, ends_in, names, params, ...)                                            \
    site;                                                                                                              \
    WS_TASK_VOID(f, __VA_ARGS__)                                                                                       \
    {                                                                                                                  \
        uint64_t wsfj_began;                                                                                           \
        wsfj_loop_begins(WSFJ_HERE, &wsfj_site_##f, size > wsfj_loop_block(&wsfj_site_##f, WSFJ_HERE->wsfj_profile));  \
        while (size > wsfj_loop_block(&wsfj_site_##f, WSFJ_HERE->wsfj_profile))                                        \
            halve;                                                                                                     \
        wsfj_began = wsfj_loop_now();                                                                                  \
        wsfj_range_##f(WSFJ_UN ends WSFJ_UN names);                                                                    \
        wsfj_loop_learn(&wsfj_site_##f, size, wsfj_began);                                                             \
        wsfj_loop_has_run(WSFJ_HERE, size);                                                                            \
        ws_sync();                                                                                                     \
    }                                                                                                                  \
    WSFJ_NOTHING
#else
#define WSFJ_TILED(site, size, halve, f, ends, ends_in, names, params, ...)                                            \
    site;                                                                                                              \
    WSFJ_LOOP_FUNCTION void wsfj_drive_##f(WSFJ_LOOP_WHERE WSFJ_UN ends_in WSFJ_UN params);                            \
    WSFJ_LOOP_TASK_VOID(f, __VA_ARGS__)                                                                                \
    {                                                                                                                  \
        struct wsfj_deque *const wsfj_deque = wsfj_f->wsfj_deque;                                                      \
        struct wsfj_descriptor *const wsfj_base = wsfj_f->wsfj_base;                                                   \
        const uint64_t wsfj_n = size;                                                                                  \
        WSFJ_LOOP_SHORT_OR_DRIVE(f, wsfj_n, 1, wsfj_range_##f(wsfj_deque, wsfj_base, WSFJ_UN ends WSFJ_UN names),      \
                                 wsfj_drive_##f(wsfj_deque, wsfj_base, WSFJ_UN ends WSFJ_UN names));                   \
    }                                                                                                                  \
    WSFJ_LOOP_FUNCTION void wsfj_drive_##f(WSFJ_LOOP_WHERE WSFJ_UN ends_in WSFJ_UN params)                             \
    {                                                                                                                  \
        WSFJ_LOOP_FRAME_FUNCTION;                                                                                      \
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque, wsfj_base, 0), *const wsfj_f = &wsfj_v;                   \
        uint64_t wsfj_began;                                                                                           \
        if (wsfj_dropped(wsfj_deque))                                                                                  \
            return;                                                                                                    \
        while (!wsfj_loop_short(&wsfj_site_##f, size, 1))                                                              \
            halve;                                                                                                     \
        wsfj_began = wsfj_loop_now();                                                                                  \
        wsfj_range_##f(wsfj_deque, wsfj_f->wsfj_top, WSFJ_UN ends WSFJ_UN names);                                      \
        wsfj_loop_learn(&wsfj_site_##f, size, wsfj_began);                                                             \
        wsfj_sync(wsfj_f);                                                                                             \
    }                                                                                                                  \
    WSFJ_NOTHING
#endif

#define WSFJ_LOOP2_MAKE(list, names, params, f, I, i, J, j)                                                            \
    WS_DECLARE_VOID(f, I, wsfj_lo, I, wsfj_hi, J, wsfj_lo2, J, wsfj_hi2 WSFJ_UN list);                                 \
    WSFJ_INDEX(f, I);                                                                                                  \
    WSFJ_INDEX(f, J);                                                                                                  \
    WSFJ_EACH(void, f, (WSFJ_EACH_FRAME I i, J j WSFJ_UN params));                                                     \
    WSFJ_AGAIN_BEGIN                                                                                                   \
    WSFJ_TILE_2(f, I, J, names, params);                                                                               \
    WSFJ_TILED(WSFJ_LOOP_SITE_2(f, I, J), WSFJ_SIZE_2, WSFJ_HALVE_2(f, I, J, names), f,                                \
               (wsfj_lo, wsfj_hi, wsfj_lo2, wsfj_hi2), (I wsfj_lo, I wsfj_hi, J wsfj_lo2, J wsfj_hi2), names, params,  \
               I, wsfj_lo, I, wsfj_hi, J, wsfj_lo2, J, wsfj_hi2 WSFJ_UN list);                                         \
    WSFJ_AGAIN_END WSFJ_EACH(void, f, (WSFJ_EACH_FRAME I i, J j WSFJ_UN params))
#define WSFJ_LOOP3_MAKE(list, names, params, f, I, i, J, j, K, k)                                                      \
    WS_DECLARE_VOID(f, I, wsfj_lo, I, wsfj_hi, J, wsfj_lo2, J, wsfj_hi2, K, wsfj_lo3, K, wsfj_hi3 WSFJ_UN list);       \
    WSFJ_INDEX(f, I);                                                                                                  \
    WSFJ_INDEX(f, J);                                                                                                  \
    WSFJ_INDEX(f, K);                                                                                                  \
    WSFJ_EACH(void, f, (WSFJ_EACH_FRAME I i, J j, K k WSFJ_UN params));                                                \
    WSFJ_AGAIN_BEGIN                                                                                                   \
    WSFJ_TILE_3(f, I, J, K, names, params);                                                                            \
    WSFJ_TILED(WSFJ_LOOP_SITE_3(f, I, J, K), WSFJ_SIZE_3, WSFJ_HALVE_3(f, I, J, K, names), f,                          \
               (wsfj_lo, wsfj_hi, wsfj_lo2, wsfj_hi2, wsfj_lo3, wsfj_hi3),                                             \
               (I wsfj_lo, I wsfj_hi, J wsfj_lo2, J wsfj_hi2, K wsfj_lo3, K wsfj_hi3), names, params, I, wsfj_lo, I,   \
               wsfj_hi, J, wsfj_lo2, J, wsfj_hi2, K, wsfj_lo3, K, wsfj_hi3 WSFJ_UN list);                              \
    WSFJ_AGAIN_END WSFJ_EACH(void, f, (WSFJ_EACH_FRAME I i, J j, K k WSFJ_UN params))

#endif
