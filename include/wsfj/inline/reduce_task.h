/* SPDX-License-Identifier: MIT */
/*
 * Makes a reduction of the parallel program. For WS_REDUCE(double, 0.0, WS_ADD, sum, long, i, ...):
 *
 *   double sum(long lo, long hi, ...)     the task
 *   double wsfj_leaf_sum(...)             one iteration, in a frame of its own
 *   double wsfj_range_sum(...)            the tree of the iterations (reduce_fold.h), by one thread
 *   double wsfj_drive_sum(...)            the same with right halves as children (loop_drive.h)
 *
 * WS_REDUCE_ANY has the driver of a plain loop: each child brings a value, and these are combined in index order.
 *
 * In a cancelled scope a driver ends early, and so do its children: then some values are missing, and the driver combines
 * none of them. Its own value is the identity. A thief runs each child (it is kept), which returns the identity, too.
 */
#ifndef WSFJ_REDUCE_TASK_H
#define WSFJ_REDUCE_TASK_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop_task.h"
#include "reduce_fold.h"

/* The task: short runs plainly, as WSFJ_LOOP_TASKS. */
#define WSFJ_REDUCE_TASK(R, id, range, drive, list, names, f, I)                                                       \
    WSFJ_LOOP_TASK_KEPT(R, f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                     \
    {                                                                                                                  \
        struct wsfj_deque *const wsfj_deque = wsfj_f->wsfj_deque;                                                      \
        struct wsfj_descriptor *const wsfj_base = wsfj_f->wsfj_base;                                                   \
        const uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                     \
        if (wsfj_n == 0 || wsfj_dropped(wsfj_deque))                                                                   \
            return id;                                                                                                 \
        __typeof__(R) wsfj_r;                                                                                          \
        WSFJ_LOOP_SHORT_OR_DRIVE(f, wsfj_n, 1, wsfj_r = range, wsfj_r = drive);                                        \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_NOTHING

#define WSFJ_REDUCE_2(R, id, op, list, names, params, f, I, i)                                                         \
    WSFJ_REDUCE_BEGIN(R, op, list, names, params, f, I, i);                                                            \
    WSFJ_LOOP_SITE(f, I, 0);                                                                                           \
    WSFJ_REDUCE_TREE(R, names, params, f, I);                                                                          \
    WSFJ_LOOP_FUNCTION __typeof__(R) wsfj_drive_##f(WSFJ_LOOP_PARAMS(I) WSFJ_UN params)                                \
    {                                                                                                                  \
        WSFJ_LOOP_FRAME_FUNCTION;                                                                                      \
        struct wsfj_frame wsfj_frame = wsfj_frame_at(wsfj_deque, wsfj_base, 0), *const wsfj_f = &wsfj_frame;           \
        struct wsfj_loop wsfj_w;                                                                                       \
        WSFJ_REDUCE_START(R);                                                                                          \
        uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), wsfj_p = 0, wsfj_right = 0;                               \
        if (WSFJ_UNLIKELY(WSFJ_REDUCE_MANY(R, wsfj_n))) {                                                              \
            if (!WSFJ_REDUCE_BLOCK(R, wsfj_n))                                                                         \
                return wsfj_range_##f(wsfj_deque, wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names);                          \
            wsfj_slot = WSFJ_REDUCE_ALIGNED(R);                                                                        \
        }                                                                                                              \
        wsfj_loop_begin(&wsfj_w, &wsfj_site_##f, wsfj_deque, wsfj_n, 1);                                               \
        do {                                                                                                           \
            wsfj_right &= ~(wsfj_p & (0 - wsfj_p)); /* the child that was taken back began here */                     \
            while (wsfj_w.wsfj_push) {                                                                                 \
                struct wsfj_descriptor *const wsfj_was = wsfj_f->wsfj_top;                                             \
                const uint64_t wsfj_e = wsfj_p + wsfj_w.wsfj_left, wsfj_m = wsfj_tree_split(wsfj_p, wsfj_e);           \
                wsfj_right |= wsfj_m & (0 - wsfj_m);                                                                   \
                wsfj_w.wsfj_push = wsfj_e - wsfj_m;                                                                    \
                ws_spawn(f, &wsfj_slot[wsfj_tree_level(wsfj_m)], (I)((uint64_t)wsfj_lo + wsfj_m),                      \
                         (I)((uint64_t)wsfj_lo + wsfj_e) WSFJ_UN names);                                               \
                wsfj_loop_pushed(&wsfj_w, wsfj_f->wsfj_top <= wsfj_was);                                               \
            }                                                                                                          \
            wsfj_n = wsfj_loop_next(&wsfj_w);                                                                          \
            if (wsfj_n > 16 && wsfj_n < wsfj_w.wsfj_left)                                                              \
                wsfj_n -= (wsfj_p + wsfj_n) & 7; /* whole blocks of eight */                                           \
            wsfj_v = wsfj_fold_##f(wsfj_deque, wsfj_f->wsfj_top, wsfj_slot, wsfj_v, wsfj_p, wsfj_p + wsfj_n,           \
                                   wsfj_lo WSFJ_UN names);                                                             \
            wsfj_p += wsfj_n;                                                                                          \
        } while (wsfj_loop_goes_on(&wsfj_w, wsfj_f, wsfj_n));                                                          \
        wsfj_loop_end(&wsfj_w);                                                                                        \
        wsfj_sync(wsfj_f);                                                                                             \
        if (wsfj_dropped(wsfj_deque)) {                                                                                \
            wsfj_v = id;                                                                                               \
        } else {                                                                                                       \
            WSFJ_REDUCE_END(f)                                                                                         \
        }                                                                                                              \
        if (wsfj_block)                                                                                                \
            __builtin_free(wsfj_block);                                                                                \
        return wsfj_v;                                                                                                 \
    }                                                                                                                  \
    WSFJ_REDUCE_TASK(R, id, wsfj_range_##f(wsfj_deque, wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names),                     \
                     wsfj_drive_##f(wsfj_deque, wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names), list, names, f, I);        \
    WSFJ_AGAIN_END WSFJ_EACH(__typeof__(R), f, (WSFJ_EACH_FRAME I i WSFJ_UN params))

#define WSFJ_REDUCE_ANY_2(R, id, op, list, names, params, f, I, i)                                                     \
    WSFJ_REDUCE_BEGIN(R, op, list, names, params, f, I, i);                                                            \
    WSFJ_LOOP_SITE(f, I, 0);                                                                                           \
    WSFJ_REDUCE_ANY_RANGE(R, names, params, f, I);                                                                     \
    WSFJ_LOOP_FUNCTION __typeof__(R) wsfj_drive_##f(WSFJ_LOOP_PARAMS(I) WSFJ_UN params)                                \
    {                                                                                                                  \
        WSFJ_LOOP_FRAME_FUNCTION;                                                                                      \
        struct wsfj_frame wsfj_frame = wsfj_frame_at(wsfj_deque, wsfj_base, 0), *const wsfj_f = &wsfj_frame;           \
        struct wsfj_loop wsfj_w;                                                                                       \
        __typeof__(R) wsfj_part[WSFJ_REDUCE_SLOTS(R)], wsfj_v = id;                                                    \
        size_t wsfj_parts = 0, wsfj_children = 0;                                                                      \
        uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                           \
        wsfj_loop_begin(&wsfj_w, &wsfj_site_##f, wsfj_deque, wsfj_n, 1);                                               \
        do {                                                                                                           \
            wsfj_parts -= wsfj_children - wsfj_w.wsfj_children; /* what was taken back */                              \
            while (wsfj_w.wsfj_push && wsfj_parts < WSFJ_REDUCE_SLOTS(R)) {                                            \
                struct wsfj_descriptor *const wsfj_was = wsfj_f->wsfj_top;                                             \
                wsfj_n = (uint64_t)wsfj_lo + wsfj_w.wsfj_left;                                                         \
                ws_spawn(f, &wsfj_part[wsfj_parts++], (I)(wsfj_n - wsfj_w.wsfj_push), (I)wsfj_n WSFJ_UN names);        \
                wsfj_loop_pushed(&wsfj_w, wsfj_f->wsfj_top <= wsfj_was);                                               \
            }                                                                                                          \
            wsfj_children = wsfj_w.wsfj_children;                                                                      \
            wsfj_n = wsfj_loop_next(&wsfj_w);                                                                          \
            wsfj_v = wsfj_range_##f(wsfj_deque, wsfj_f->wsfj_top, wsfj_v, wsfj_lo,                                     \
                                    (I)((uint64_t)wsfj_lo + wsfj_n) WSFJ_UN names);                                    \
            wsfj_lo = (I)((uint64_t)wsfj_lo + wsfj_n);                                                                 \
        } while (wsfj_loop_goes_on(&wsfj_w, wsfj_f, wsfj_n));                                                          \
        wsfj_loop_end(&wsfj_w);                                                                                        \
        wsfj_sync(wsfj_f);                                                                                             \
        if (wsfj_dropped(wsfj_deque))                                                                                  \
            return id;                                                                                                 \
        while (wsfj_parts > 0)                                                                                         \
            wsfj_v = wsfj_join_##f(wsfj_v, wsfj_part[--wsfj_parts]);                                                   \
        return wsfj_v;                                                                                                 \
    }                                                                                                                  \
    WSFJ_REDUCE_TASK(R, id, wsfj_range_##f(wsfj_deque, wsfj_base, id, wsfj_lo, wsfj_hi WSFJ_UN names),                 \
                     wsfj_drive_##f(wsfj_deque, wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names), list, names, f, I);        \
    WSFJ_AGAIN_END WSFJ_EACH(__typeof__(R), f, (WSFJ_EACH_FRAME I i WSFJ_UN params))

#endif
