/* SPDX-License-Identifier: MIT */
/*
 * Makes a static loop of the parallel program. Its range is cut into one slice for each worker, and slice w is for worker
 * w, in each run of each such loop. Tickets are spawned as a binary tree, so that many thieves need not queue at one
 * deque: a thread that takes a ticket spawns two more, then takes the slice of the worker that it serves, or else any
 * other one that is free.
 */
#ifndef WSFJ_STATIC_TASK_H
#define WSFJ_STATIC_TASK_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop_task.h"

#define WSFJ_STATIC_MAKE(extra, list, names, params, f, I, i)                                                           \
    WS_DECLARE_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list);                                                            \
    WSFJ_INDEX(f, I);                                                                                                   \
    WSFJ_EACH(void, f, (WSFJ_EACH_FRAME I i WSFJ_UN params));                                                           \
    WSFJ_AGAIN_BEGIN                                                                                                    \
    WSFJ_LOOP_SITE(f, I, 0);                                                                                            \
    WSFJ_LOOP_FUNCTION void wsfj_range_##f(WSFJ_LOOP_PARAMS(I) WSFJ_UN params)                                          \
    {                                                                                                                   \
        WSFJ_LOOP_EACH_IN_RANGE(f, names)                                                                               \
    }                                                                                                                   \
    static WS_TASK_VOID(wsfj_ticket_##f, struct wsfj_slices *, wsfj_slices, uint64_t, wsfj_ticket, I, wsfj_lo, I,       \
                        wsfj_hi WSFJ_UN list)                                                                           \
    {                                                                                                                   \
        struct wsfj_loop wsfj_w;                                                                                        \
        uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), wsfj_k;                                                    \
        if (2 * wsfj_ticket + 1 < wsfj_slices->wsfj_count)                                                              \
            ws_spawn(wsfj_ticket_##f, wsfj_slices, 2 * wsfj_ticket + 1, wsfj_lo, wsfj_hi WSFJ_UN names);                \
        if (2 * wsfj_ticket + 2 < wsfj_slices->wsfj_count)                                                              \
            ws_spawn(wsfj_ticket_##f, wsfj_slices, 2 * wsfj_ticket + 2, wsfj_lo, wsfj_hi WSFJ_UN names);                \
        wsfj_k = wsfj_slices_take(wsfj_slices, wsfj_f->wsfj_deque);                                                     \
        wsfj_hi = (I)((uint64_t)wsfj_lo + wsfj_slice_at(wsfj_n, wsfj_slices->wsfj_count, wsfj_k + 1));                  \
        wsfj_lo = (I)((uint64_t)wsfj_lo + wsfj_slice_at(wsfj_n, wsfj_slices->wsfj_count, wsfj_k));                      \
        wsfj_loop_begin(&wsfj_w, &wsfj_site_##f, wsfj_f->wsfj_deque, WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), WSFJ_LOOP_ALL); \
        do {                                                                                                            \
            wsfj_n = wsfj_loop_next(&wsfj_w);                                                                           \
            wsfj_range_##f(wsfj_f->wsfj_deque, wsfj_f->wsfj_top, wsfj_lo,                                               \
                           (I)((uint64_t)wsfj_lo + wsfj_n) WSFJ_UN names);                                              \
            wsfj_lo = (I)((uint64_t)wsfj_lo + wsfj_n);                                                                  \
        } while (wsfj_loop_goes_on(&wsfj_w, wsfj_f, wsfj_n));                                                           \
        wsfj_loop_end(&wsfj_w);                                                                                         \
        ws_sync();                                                                                                      \
    }                                                                                                                   \
    WSFJ_LOOP_TASK_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                         \
    {                                                                                                                   \
        struct wsfj_deque *const wsfj_deque = wsfj_f->wsfj_deque;                                                       \
        struct wsfj_descriptor *const wsfj_base = wsfj_f->wsfj_base;                                                    \
        const uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                      \
        struct wsfj_slices wsfj_slices;                                                                                 \
        WSFJ_LOOP_SHORT_OR_DRIVE(f, wsfj_n, 1, wsfj_range_##f(wsfj_deque, wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names),   \
                                 (wsfj_slices_begin(&wsfj_slices, wsfj_deque, wsfj_n),                                  \
                                  ws_call(wsfj_ticket_##f, &wsfj_slices, 0, wsfj_lo, wsfj_hi WSFJ_UN names)));          \
    }                                                                                                                   \
    WSFJ_AGAIN_END WSFJ_EACH(void, f, (WSFJ_EACH_FRAME I i WSFJ_UN params))

#endif
