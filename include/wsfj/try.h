/* SPDX-License-Identifier: MIT */
/**
 * @file try.h
 * A loop that may fail, or that searches: it ends at the first iteration that returns something other than 0.
 *
 * @code
 * static WS_TRY(first_negative, long, i, const double *, a) { return a[i] < 0; }
 *
 * WS_TRIED(long) r;
 * ws_for(first_negative, &r, 0, n, a);
 * if (r.status)
 *     printf("a[%ld] is negative\n", r.at);
 * @endcode
 *
 * WS_TRY(f, I, i, T1, a1, ...) { ... return status; } is the task WS_TRIED(I) f(I lo, I hi, T1 a1, ...), where status is
 * an int. `at` of its result is the first iteration, in the order of the serial loop, that returned other than 0, and
 * `status` what it returned. All iterations before it have run, each once. Of those behind it some may have run; those
 * that have not begun are dropped. If all return 0, `at` is hi and `status` is 0. The serial program gives the same result.
 *
 * In a cancelled scope (scope.h) the loop ends early. Then the failure in the result need not be the first, and `status` 0
 * means only that no iteration that ran has failed; `at` is hi even so. A spawned try that a thief drops has the result of
 * a dropped task: `at` and `status` are 0. So use the result only if ws_scope_end() returns 0.
 */
#ifndef WSFJ_TRY_H
#define WSFJ_TRY_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop.h"

/** Defines a loop that ends at the first iteration that returns something other than 0. */
#define WS_TRY(...) WSFJ_LOOP_CUT(WSFJ_TRY_MAKE, ~, __VA_ARGS__)

/* The results: one type for each type of index, the same in C and C++. */
#define WSFJ_TRIED_TYPES(make)                                                                                         \
    make(ws_tried_char, char) make(ws_tried_schar, signed char) make(ws_tried_uchar, unsigned char)                    \
        make(ws_tried_short, short) make(ws_tried_ushort, unsigned short) make(ws_tried_int, int)                      \
            make(ws_tried_uint, unsigned) make(ws_tried_long, long) make(ws_tried_ulong, unsigned long)                \
                make(ws_tried_llong, long long) make(ws_tried_ullong, unsigned long long)
#define WSFJ_TRIED_STRUCT(name, I)                                                                                     \
    struct name {                                                                                                      \
        I at;                                                                                                          \
        int status;                                                                                                    \
    };
WSFJ_TRIED_TYPES(WSFJ_TRIED_STRUCT)
#ifdef __cplusplus
#define WSFJ_TRIED_OF(name, I) struct name wsfj_tried(I);
extern "C++" {
WSFJ_TRIED_TYPES(WSFJ_TRIED_OF)
struct ws_tried_int wsfj_tried(float), wsfj_tried(double), wsfj_tried(long double); /* WSFJ_INDEX refuses these */
}
#define WS_TRIED(I) __typeof__(wsfj_tried((I)0))
#else
#define WSFJ_TRIED_OF(name, I)                                                                                         \
    I:                                                                                                                 \
    (struct name *)0,
/** The result of a WS_TRY with an index of the integer type I: struct { I at; int status; }. */
#define WS_TRIED(I)                                                                                                    \
    __typeof__(*_Generic((I)0, WSFJ_TRIED_TYPES(WSFJ_TRIED_OF) float                                                   \
                         : (struct ws_tried_int *)0, double                                                            \
                         : (struct ws_tried_int *)0, long double                                                       \
                         : (struct ws_tried_int *)0)) /* WSFJ_INDEX refuses these three */
#endif

/* Runs the iterations from lo to hi, up to the first that fails. */
#define WSFJ_TRY_RANGE(f, names)                                                                                       \
    wsfj_r.at = wsfj_hi;                                                                                               \
    wsfj_r.status = 0;                                                                                                 \
    while (wsfj_lo < wsfj_hi && !wsfj_r.status) {                                                                      \
        WSFJ_TRY_EACH(f, names);                                                                                       \
        if (wsfj_r.status)                                                                                             \
            wsfj_r.at = wsfj_lo;                                                                                       \
        else                                                                                                           \
            wsfj_lo++;                                                                                                 \
    }

#ifdef WSFJ_SERIAL
#define WSFJ_TRY_EACH(f, names) wsfj_r.status = wsfj_body_1_##f(wsfj_lo WSFJ_UN names)
#define WSFJ_TRY_TASKS(list, names, params, f, I)                                                                      \
    WSFJ_TRY_TASK(f, I, list)                                                                                          \
    {                                                                                                                  \
        WS_TRIED(I) wsfj_r;                                                                                            \
        WSFJ_TRY_RANGE(f, names)                                                                                       \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_NOTHING

#elif defined WSFJ_RACE
/* All iterations up to the first that fails are parallel (race_loop.h). */
#define WSFJ_TRY_EACH(f, names)                                                                                        \
    do {                                                                                                               \
        struct wsfj_scope wsfj_v;                                                                                      \
        wsfj_race_iteration(&wsfj_spawned);                                                                            \
        wsfj_race_open(&wsfj_v, #f);                                                                                   \
        wsfj_r.status = wsfj_body_1_##f(&wsfj_v, wsfj_lo WSFJ_UN names);                                               \
        wsfj_race_close(&wsfj_v);                                                                                      \
    } while (0)
#define WSFJ_TRY_TASKS(list, names, params, f, I)                                                                      \
    WSFJ_TRY_TASK(f, I, list)                                                                                          \
    {                                                                                                                  \
        WS_TRIED(I) wsfj_r;                                                                                            \
        if (wsfj_race_halves(WSFJ_HERE, WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), 4096)) {                                    \
            const I wsfj_mid = (I)((uint64_t)wsfj_lo + WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi) / 2);                         \
            WS_TRIED(I) wsfj_x;                                                                                        \
            ws_spawn(f, &wsfj_x, wsfj_lo, wsfj_mid WSFJ_UN names);                                                     \
            wsfj_r = ws_call(f, wsfj_mid, wsfj_hi WSFJ_UN names);                                                      \
            ws_sync();                                                                                                 \
            return wsfj_x.status ? wsfj_x : wsfj_r;                                                                    \
        }                                                                                                              \
        WSFJ_LOOP_BEGIN(f)                                                                                             \
        WSFJ_TRY_RANGE(f, names)                                                                                       \
        WSFJ_LOOP_END                                                                                                  \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_NOTHING

#elif defined WSFJ_PROFILE
#define WSFJ_TRY_EACH(f, names)                                                                                        \
    do {                                                                                                               \
        struct wsfj_scope wsfj_v = wsfj_scope_open();                                                                  \
        wsfj_r.status = wsfj_body_1_##f(&wsfj_v, wsfj_lo WSFJ_UN names);                                               \
        wsfj_scope_close(&wsfj_v, WSFJ_NAMED(#f));                                                                     \
    } while (0)
/* Halves in index order, as in loop_profile.h. A spawn has run when it returns. */
#define WSFJ_TRY_TASKS(list, names, params, f, I)                                                                      \
    WSFJ_LOOP_SITE(f, I, 0);                                                                                           \
    WSFJ_TRY_TASK(f, I, list)                                                                                          \
    {                                                                                                                  \
        uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), wsfj_began;                                               \
        WS_TRIED(I) wsfj_r;                                                                                            \
        wsfj_r.status = 0;                                                                                             \
        while (!wsfj_r.status && wsfj_n > wsfj_loop_block(&wsfj_site_##f, WSFJ_HERE->wsfj_profile)) {                  \
            const I wsfj_mid = (I)((uint64_t)wsfj_lo + wsfj_n / 2);                                                    \
            ws_spawn(f, &wsfj_r, wsfj_lo, wsfj_mid WSFJ_UN names);                                                     \
            wsfj_lo = wsfj_mid;                                                                                        \
            wsfj_n -= wsfj_n / 2;                                                                                      \
        }                                                                                                              \
        if (!wsfj_r.status) {                                                                                          \
            wsfj_began = wsfj_loop_now();                                                                              \
            WSFJ_TRY_RANGE(f, names)                                                                                   \
            if (!wsfj_r.status)                                                                                        \
                wsfj_loop_learn(&wsfj_site_##f, wsfj_n, wsfj_began);                                                   \
        }                                                                                                              \
        ws_sync();                                                                                                     \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_NOTHING

#else
#define WSFJ_TRY_EACH(f, names)                                                                                        \
    do {                                                                                                               \
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque, wsfj_base, 0);                                            \
        wsfj_r.status = wsfj_body_1_##f(&wsfj_v, wsfj_lo WSFJ_UN names);                                               \
        WSFJ_LEAVE(&wsfj_v, WSFJ_TASK_NAME(f), WSFJ_FRAME_END);                                                        \
    } while (0)

/** Shared by the pieces of one run: the first iteration known to fail. */
struct wsfj_try {
    uint64_t wsfj_first; /**< WSFJ_TRY_KEY of it. Relaxed: a piece that sees it late runs in vain, and nothing else */
};

/* A number for an index, in the same order, whatever its type. No iteration has the highest. */
#define WSFJ_TRY_KEY(I, i) ((uint64_t)(i) ^ (WSFJ_IS_SIGNED(I) ? (uint64_t)1 << 63 : 0))

WSFJ_INLINE int wsfj_try_is_over(struct wsfj_try *wsfj_try, uint64_t wsfj_key)
{
    return __atomic_load_n(&wsfj_try->wsfj_first, __ATOMIC_RELAXED) < wsfj_key;
}

WSFJ_INLINE void wsfj_try_failed(struct wsfj_try *wsfj_try, uint64_t wsfj_key)
{
    uint64_t wsfj_was = __atomic_load_n(&wsfj_try->wsfj_first, __ATOMIC_RELAXED);

    while (wsfj_key < wsfj_was && !__atomic_compare_exchange_n(&wsfj_try->wsfj_first, &wsfj_was, wsfj_key, 0,
                                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

/*
 * The driver of loop_task.h, whose children return results. It ends with the first chunk that fails, or when an earlier
 * iteration has failed elsewhere; the children that are left see this when they begin. The frame has as many children as
 * there are results. Children that have run already, because there was no room for them, are done with at once.
 */
#define WSFJ_TRY_TASKS(list, names, params, f, I)                                                                      \
    WSFJ_LOOP_SITE(f, I, 0);                                                                                           \
    WSFJ_LOOP_FUNCTION WS_TRIED(I) wsfj_range_##f(WSFJ_LOOP_PARAMS(I) WSFJ_UN params)                                  \
    {                                                                                                                  \
        WS_TRIED(I) wsfj_r;                                                                                            \
        WSFJ_TRY_RANGE(f, names)                                                                                       \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_LOOP_FUNCTION WS_TRIED(I) wsfj_drive_##f(struct wsfj_try *wsfj_try, WSFJ_LOOP_PARAMS(I) WSFJ_UN params);      \
    static WS_TASK(WS_TRIED(I), wsfj_part_##f, struct wsfj_try *, wsfj_try, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)       \
    {                                                                                                                  \
        WS_TRIED(I) wsfj_r;                                                                                            \
        wsfj_r.at = wsfj_hi;                                                                                           \
        wsfj_r.status = 0;                                                                                             \
        if (!wsfj_try_is_over(wsfj_try, WSFJ_TRY_KEY(I, wsfj_lo)))                                                     \
            wsfj_r = wsfj_drive_##f(wsfj_try, wsfj_f->wsfj_deque, wsfj_f->wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names);  \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_TRY_TASK(f, I, list)                                                                                          \
    {                                                                                                                  \
        struct wsfj_deque *const wsfj_deque = wsfj_f->wsfj_deque;                                                      \
        struct wsfj_descriptor *const wsfj_base = wsfj_f->wsfj_base;                                                   \
        const uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                     \
        struct wsfj_try wsfj_try = {WSFJ_LOOP_ALL};                                                                    \
        WS_TRIED(I) wsfj_r;                                                                                            \
        WSFJ_LOOP_SHORT_OR_DRIVE(                                                                                      \
            f, wsfj_n, 1, wsfj_r = wsfj_range_##f(wsfj_deque, wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names),              \
            wsfj_r = wsfj_drive_##f(&wsfj_try, wsfj_deque, wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names));                \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_LOOP_FUNCTION WS_TRIED(I) wsfj_drive_##f(struct wsfj_try *wsfj_try, WSFJ_LOOP_PARAMS(I) WSFJ_UN params)       \
    {                                                                                                                  \
        WSFJ_LOOP_FRAME_FUNCTION;                                                                                      \
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque, wsfj_base, 0), *const wsfj_f = &wsfj_v;                   \
        WS_TRIED(I) wsfj_r, wsfj_got[64];                                                                              \
        struct wsfj_loop wsfj_w;                                                                                       \
        uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                           \
        size_t wsfj_k;                                                                                                 \
        wsfj_r.at = wsfj_hi;                                                                                           \
        wsfj_r.status = 0;                                                                                             \
        wsfj_loop_begin(&wsfj_w, &wsfj_site_##f, wsfj_deque, wsfj_n, 1);                                               \
        do {                                                                                                           \
            if (wsfj_try_is_over(wsfj_try, WSFJ_TRY_KEY(I, wsfj_lo)))                                                  \
                break;                                                                                                 \
            while (wsfj_w.wsfj_push) {                                                                                 \
                wsfj_k = wsfj_f->wsfj_n;                                                                               \
                wsfj_n = (uint64_t)wsfj_lo + wsfj_w.wsfj_left;                                                         \
                ws_spawn(wsfj_part_##f, &wsfj_got[wsfj_k], wsfj_try, (I)(wsfj_n - wsfj_w.wsfj_push),                   \
                         (I)wsfj_n WSFJ_UN names);                                                                     \
                wsfj_loop_pushed(&wsfj_w, wsfj_f->wsfj_n <= wsfj_k);                                                   \
                for (; WSFJ_UNLIKELY(wsfj_k + 1 > wsfj_f->wsfj_n); wsfj_k--)                                           \
                    WSFJ_TRY_FIRST(wsfj_r, wsfj_got[wsfj_k]);                                                          \
            }                                                                                                          \
            wsfj_n = wsfj_loop_next(&wsfj_w);                                                                          \
            const WS_TRIED(I) wsfj_c =                                                                                 \
                wsfj_range_##f(wsfj_deque, wsfj_f->wsfj_top, wsfj_lo, (I)((uint64_t)wsfj_lo + wsfj_n) WSFJ_UN names);  \
            if (WSFJ_UNLIKELY(wsfj_c.status)) {                                                                        \
                wsfj_try_failed(wsfj_try, WSFJ_TRY_KEY(I, wsfj_c.at));                                                 \
                wsfj_r = wsfj_c;                                                                                       \
                break;                                                                                                 \
            }                                                                                                          \
            wsfj_lo = (I)((uint64_t)wsfj_lo + wsfj_n);                                                                 \
        } while (wsfj_loop_goes_on(&wsfj_w, wsfj_f, wsfj_n));                                                          \
        wsfj_loop_end(&wsfj_w);                                                                                        \
        wsfj_k = wsfj_f->wsfj_n;                                                                                       \
        wsfj_sync(wsfj_f);                                                                                             \
        while (wsfj_k-- > 0)                                                                                           \
            WSFJ_TRY_FIRST(wsfj_r, wsfj_got[wsfj_k]);                                                                  \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_NOTHING
/* Takes over the result of a child, if its failure comes first. */
#define WSFJ_TRY_FIRST(r, child)                                                                                       \
    do {                                                                                                               \
        if ((child).status && (!(r).status || (child).at < (r).at))                                                    \
            (r) = (child);                                                                                             \
    } while (0)
#endif

#define WSFJ_TRY_MAKE(extra, list, names, params, f, I, i)                                                             \
    WS_DECLARE(WS_TRIED(I), f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list);                                                   \
    WSFJ_INDEX(f, I);                                                                                                  \
    WSFJ_EACH(int, f, (WSFJ_EACH_FRAME I i WSFJ_UN params));                                                           \
    WSFJ_AGAIN_BEGIN                                                                                                   \
    WSFJ_TRY_TASKS(list, names, params, f, I);                                                                         \
    WSFJ_AGAIN_END WSFJ_EACH(int, f, (WSFJ_EACH_FRAME I i WSFJ_UN params))

#if defined WSFJ_SERIAL || defined WSFJ_PROFILE || defined WSFJ_RACE
#define WSFJ_TRY_TASK(f, I, list) WS_TASK(WS_TRIED(I), f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)
#else
#define WSFJ_TRY_TASK(f, I, list) WSFJ_LOOP_TASK_VALUE(WS_TRIED(I), f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)
#endif

#endif
