/* SPDX-License-Identifier: MIT */
/**
 * @file fold.h
 * A loop that collects into something large: an array of counts, a list, a table.
 *
 * @code
 * struct counts { long of[4096]; };
 * static void clear(struct counts *c) { memset(c, 0, sizeof *c); }
 * static void add(struct counts *into, struct counts *from) { for (int k = 0; k < 4096; k++) into->of[k] += from->of[k]; }
 *
 * static WS_FOLD(struct counts, clear, add, histogram, struct counts *, c, long, i, const uint16_t *, x)
 * {
 *     c->of[x[i] % 4096]++;
 * }
 *
 * struct counts c;
 * clear(&c);
 * ws_for(histogram, &c, 0, n, x);
 * @endcode
 *
 * WS_FOLD(R, init, merge, f, A, acc, I, i, T1, a1, ...) { ... } is the task void f(A acc, I lo, I hi, T1 a1, ...), where A
 * is R *. It puts the iterations from lo to hi into *acc, behind what is there. A part of the loop that another worker
 * takes goes into an R of its own:
 *
 *   init(p)              makes the R at p empty. Called on the worker that will use it; the memory is not initialised
 *   merge(into, from)    puts what is in *from behind what is in *into, and frees what *from owns. Not `from` itself
 *
 * Both are functions or macros; a macro may use the captured values. Parts are merged in index order: if merge is
 * associative and an empty R changes nothing, the result is that of the serial program, whether or not the order
 * matters. There is one R for each part that was taken, on the heap, until the loop ends. Without memory for one, the
 * loop is not divided. Large types are divided less: a part takes at least as long as merging an R takes, by its size.
 *
 * WS_FOLD_ARRAY(T, n, identity, combine, f, acc, I, i, T1, a1, ...) { ... } collects into an array of n elements of type T,
 * where n may be a captured value: the task void f(T *acc, I lo, I hi, T1 a1, ...). An array of its own begins with each
 * element `identity`, and combine(x, y) merges two elements, as in reduce.h:
 *
 * @code
 * static WS_FOLD_ARRAY(long, bins, 0, WS_ADD, count, c, long, i, const uint32_t *, x, uint32_t, bins) { c[x[i] % bins]++; }
 * static WS_FOLD_ARRAY(double, 2, 0, WS_ADD, sums, s, long, i, const double *, x) { s[0] += x[i]; s[1] += x[i] * x[i]; }
 *
 * double s[2] = {0, 0};
 * ws_for(sums, s, 0, n, x);   // two sums in one loop
 * @endcode
 *
 * In a cancelled scope (scope.h) the loop ends early: *acc has then got only some of the iterations, in index order.
 */
#ifndef WSFJ_FOLD_H
#define WSFJ_FOLD_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop.h"

/** Defines a loop that collects into something large. */
#define WS_FOLD(R, init, merge, f, A, acc, ...)                                                                        \
    WSFJ_LOOP_CUT(WSFJ_FOLD_MAKE, (R, sizeof(R), (WSFJ_FOLD_BY, init), (WSFJ_FOLD_BY, merge), A, acc), f, __VA_ARGS__)
/** Defines a loop that collects into an array. */
#define WS_FOLD_ARRAY(T, n, identity, combine, f, acc, ...)                                                            \
    WSFJ_LOOP_CUT(                                                                                                     \
        WSFJ_FOLD_MAKE,                                                                                                \
        (T, sizeof(T) * (size_t)(n), (WSFJ_FOLD_FILL, n, identity), (WSFJ_FOLD_COMBINE, n, combine), T *, acc), f,     \
        __VA_ARGS__)

/* How init and merge are called. They stand where the captured values are parameters. */
#define WSFJ_FOLD_CALL(how, ...) WSFJ_FOLD_CALL_1(WSFJ_UN how, __VA_ARGS__)
#define WSFJ_FOLD_CALL_1(...) WSFJ_FOLD_CALL_2(__VA_ARGS__)
#define WSFJ_FOLD_CALL_2(macro, ...) macro(__VA_ARGS__)
#define WSFJ_FOLD_BY(f, ...) f(__VA_ARGS__)
#define WSFJ_FOLD_FILL(n, identity, to)                                                                                \
    do {                                                                                                               \
        const size_t wsfj_size = (size_t)(n);                                                                          \
        for (size_t wsfj_at = 0; wsfj_at < wsfj_size; wsfj_at++)                                                       \
            (to)[wsfj_at] = (identity);                                                                                \
    } while (0)
#define WSFJ_FOLD_COMBINE(n, combine, to, from)                                                                        \
    do {                                                                                                               \
        const size_t wsfj_size = (size_t)(n);                                                                          \
        for (size_t wsfj_at = 0; wsfj_at < wsfj_size; wsfj_at++)                                                       \
            (to)[wsfj_at] = combine((to)[wsfj_at], (from)[wsfj_at]);                                                   \
    } while (0)
#define WSFJ_FOLD_MAKE(extra, list, names, params, f, I, i)                                                            \
    WSFJ_FOLD_MAKE_1(WSFJ_UN extra, list, names, params, f, I, i)
#define WSFJ_FOLD_MAKE_1(...) WSFJ_FOLD_MAKE_2(__VA_ARGS__)
#define WSFJ_FOLD_MAKE_2(R, size, init, merge, A, acc, list, names, params, f, I, i)                                   \
    WS_DECLARE_VOID(f, A, wsfj_acc, I, wsfj_lo, I, wsfj_hi WSFJ_UN list);                                              \
    WSFJ_INDEX(f, I);                                                                                                  \
    WSFJ_EACH(void, f, (WSFJ_EACH_FRAME A acc, I i WSFJ_UN params));                                                   \
    WSFJ_AGAIN_BEGIN                                                                                                   \
    WSFJ_FOLD_TASKS(R, size, init, merge, A, list, names, params, f, I);                                               \
    WSFJ_AGAIN_END WSFJ_EACH(void, f, (WSFJ_EACH_FRAME A acc, I i WSFJ_UN params))

#ifdef WSFJ_SERIAL
#define WSFJ_FOLD_TASKS(R, size, init, merge, A, list, names, params, f, I)                                            \
    WS_TASK_VOID(f, A, wsfj_acc, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                  \
    {                                                                                                                  \
        for (; wsfj_lo < wsfj_hi; wsfj_lo++)                                                                           \
            wsfj_body_1_##f(wsfj_acc, wsfj_lo WSFJ_UN names);                                                          \
    }                                                                                                                  \
    WSFJ_FOLD_CHECK(R, init, merge, names, params, f)

#elif defined WSFJ_RACE
/* Halves, each with an R of its own, down to one iteration, or more if an R is large: init and merge are checked, too. */
#define WSFJ_FOLD_LEAF(size) ((size) / 64 + 1)
#define WSFJ_FOLD_TASKS(R, size, init, merge, A, list, names, params, f, I)                                            \
    WS_TASK_VOID(f, A, wsfj_acc, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                  \
    {                                                                                                                  \
        const uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                     \
        char *const wsfj_block =                                                                                       \
            wsfj_n > WSFJ_FOLD_LEAF(size) ? (char *)__builtin_malloc(size + __alignof__(R)) : NULL;                    \
        if (wsfj_block) {                                                                                              \
            A const wsfj_copy =                                                                                        \
                (A)(void *)(wsfj_block + (__alignof__(R) - (uintptr_t)wsfj_block % __alignof__(R)) % __alignof__(R));  \
            const I wsfj_mid = (I)((uint64_t)wsfj_lo + wsfj_n / 2);                                                    \
            ws_spawn(f, wsfj_acc, wsfj_lo, wsfj_mid WSFJ_UN names);                                                    \
            WSFJ_FOLD_CALL(init, wsfj_copy);                                                                           \
            ws_call(f, wsfj_copy, wsfj_mid, wsfj_hi WSFJ_UN names);                                                    \
            ws_sync();                                                                                                 \
            WSFJ_FOLD_CALL(merge, wsfj_acc, wsfj_copy);                                                                \
            __builtin_free(wsfj_block);                                                                                \
            return;                                                                                                    \
        }                                                                                                              \
        for (; wsfj_lo < wsfj_hi; wsfj_lo++) {                                                                         \
            struct wsfj_scope wsfj_v;                                                                                  \
            wsfj_race_open(&wsfj_v, #f);                                                                               \
            wsfj_body_1_##f(&wsfj_v, wsfj_acc, wsfj_lo WSFJ_UN names);                                                 \
            wsfj_race_close(&wsfj_v);                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    WSFJ_FOLD_CHECK(R, init, merge, names, params, f)

#elif defined WSFJ_PROFILE
/* Halves in index order, as in loop_profile.h, all into one R: a merge is part of the burden of a steal, and not known. */
#define WSFJ_FOLD_TASKS(R, size, init, merge, A, list, names, params, f, I)                                            \
    WSFJ_LOOP_SITE(f, I, sizeof(A));                                                                                   \
    WS_TASK_VOID(f, A, wsfj_acc, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                  \
    {                                                                                                                  \
        uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi), wsfj_began;                                               \
        while (wsfj_n / 2 >= wsfj_fold_grain(&wsfj_site_##f, size) &&                                                  \
               wsfj_n > wsfj_loop_block(&wsfj_site_##f, WSFJ_HERE->wsfj_profile)) {                                    \
            const I wsfj_mid = (I)((uint64_t)wsfj_lo + wsfj_n / 2);                                                    \
            ws_spawn(f, wsfj_acc, wsfj_lo, wsfj_mid WSFJ_UN names);                                                    \
            wsfj_lo = wsfj_mid;                                                                                        \
            wsfj_n -= wsfj_n / 2;                                                                                      \
        }                                                                                                              \
        wsfj_began = wsfj_loop_now();                                                                                  \
        for (; wsfj_lo < wsfj_hi; wsfj_lo++)                                                                           \
            WSFJ_EACH_CALL(f, (&wsfj_v, wsfj_acc, wsfj_lo WSFJ_UN names));                                             \
        wsfj_loop_learn(&wsfj_site_##f, wsfj_n, wsfj_began);                                                           \
        ws_sync();                                                                                                     \
    }                                                                                                                  \
    WSFJ_FOLD_CHECK(R, init, merge, names, params, f)

#else

/** An R for a child of the driver; the R itself stands behind it. */
struct wsfj_fold_copy {
    struct wsfj_fold_copy *wsfj_next;
    int wsfj_begun; /**< the child has run, or runs, and not on the driver: this R is to be merged */
};

/** The copies of a driver. */
struct wsfj_fold {
    struct wsfj_fold_copy *wsfj_newest; /**< of the children that the driver has spawned and not taken back */
    struct wsfj_fold_copy *wsfj_free;
    size_t wsfj_size, wsfj_align; /**< of an R */
};

/* Where the R of a copy is. */
#define WSFJ_FOLD_OFFSET(align) ((align) > 64 ? (align) : (size_t)64)
#define WSFJ_FOLD_VALUE(A, R, copy) ((A)(void *)((char *)(copy) + WSFJ_FOLD_OFFSET(__alignof__(R))))

#ifdef __cplusplus
extern "C" {
#endif
struct wsfj_fold_copy *wsfj_fold_push(struct wsfj_fold *wsfj_fold);
void wsfj_fold_pop(struct wsfj_fold *wsfj_fold);
void wsfj_fold_end(struct wsfj_fold *wsfj_fold);
#ifdef __cplusplus
}
#endif

/*
 * The driver of loop_task.h, each of whose children has a copy. A child begins with an empty R only where it runs: one that
 * the driver takes back goes on into the driver's R, and its copy serves the next child. A child that has run already,
 * because there was no room for it, is behind all that the driver still has to do before it takes back an older one.
 */
#define WSFJ_FOLD_TASKS(R, size, init, merge, A, list, names, params, f, I)                                            \
    WSFJ_LOOP_SITE(f, I, sizeof(A));                                                                                   \
    WSFJ_LOOP_FUNCTION void wsfj_range_##f(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,           \
                                           A wsfj_acc, I wsfj_lo, I wsfj_hi WSFJ_UN params)                            \
    {                                                                                                                  \
        for (; wsfj_lo < wsfj_hi; wsfj_lo++)                                                                           \
            WSFJ_EACH_CALL(f, (&wsfj_v, wsfj_acc, wsfj_lo WSFJ_UN names));                                             \
    }                                                                                                                  \
    WSFJ_LOOP_FUNCTION void wsfj_drive_##f(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,           \
                                           A wsfj_acc, I wsfj_lo, I wsfj_hi WSFJ_UN params);                           \
    WSFJ_LOOP_TASK_VOID(f, A, wsfj_acc, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                           \
    {                                                                                                                  \
        struct wsfj_deque *const wsfj_deque = wsfj_f->wsfj_deque;                                                      \
        struct wsfj_descriptor *const wsfj_base = wsfj_f->wsfj_base;                                                   \
        const uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                     \
        WSFJ_LOOP_SHORT_OR_DRIVE(f, wsfj_n, wsfj_fold_grain(&wsfj_site_##f, size),                                     \
                                 wsfj_range_##f(wsfj_deque, wsfj_base, wsfj_acc, wsfj_lo, wsfj_hi WSFJ_UN names),      \
                                 wsfj_drive_##f(wsfj_deque, wsfj_base, wsfj_acc, wsfj_lo, wsfj_hi WSFJ_UN names));     \
    }                                                                                                                  \
    static WS_TASK_VOID(wsfj_part_##f, struct wsfj_fold_copy *, wsfj_copy, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)        \
    {                                                                                                                  \
        A const wsfj_acc = WSFJ_FOLD_VALUE(A, R, wsfj_copy);                                                           \
        wsfj_copy->wsfj_begun = 1;                                                                                     \
        WSFJ_FOLD_CALL(init, wsfj_acc);                                                                                \
        ws_call(f, wsfj_acc, wsfj_lo, wsfj_hi WSFJ_UN names);                                                          \
    }                                                                                                                  \
    WSFJ_LOOP_FUNCTION void wsfj_drive_##f(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,           \
                                           A wsfj_acc, I wsfj_lo, I wsfj_hi WSFJ_UN params)                            \
    {                                                                                                                  \
        WSFJ_LOOP_FRAME_FUNCTION;                                                                                      \
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque, wsfj_base, 0), *const wsfj_f = &wsfj_v;                   \
        struct wsfj_fold wsfj_x = {NULL, NULL, size, __alignof__(R)};                                                  \
        struct wsfj_fold_copy *wsfj_c;                                                                                 \
        struct wsfj_loop wsfj_w;                                                                                       \
        uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                           \
        size_t wsfj_k;                                                                                                 \
        int wsfj_more;                                                                                                 \
        wsfj_loop_begin(&wsfj_w, &wsfj_site_##f, wsfj_deque, wsfj_n, wsfj_fold_grain(&wsfj_site_##f, size));           \
        do {                                                                                                           \
            while (wsfj_w.wsfj_push && (wsfj_c = wsfj_fold_push(&wsfj_x)) != NULL) {                                   \
                wsfj_k = wsfj_f->wsfj_n;                                                                               \
                wsfj_n = (uint64_t)wsfj_lo + wsfj_w.wsfj_left;                                                         \
                ws_spawn(wsfj_part_##f, wsfj_c, (I)(wsfj_n - wsfj_w.wsfj_push), (I)wsfj_n WSFJ_UN names);              \
                wsfj_loop_pushed(&wsfj_w, wsfj_f->wsfj_n <= wsfj_k);                                                   \
            }                                                                                                          \
            wsfj_n = wsfj_loop_next(&wsfj_w);                                                                          \
            wsfj_range_##f(wsfj_deque, wsfj_f->wsfj_top, wsfj_acc, wsfj_lo,                                            \
                           (I)((uint64_t)wsfj_lo + wsfj_n) WSFJ_UN names);                                             \
            wsfj_lo = (I)((uint64_t)wsfj_lo + wsfj_n);                                                                 \
            wsfj_k = wsfj_f->wsfj_n;                                                                                   \
            wsfj_more = wsfj_loop_goes_on(&wsfj_w, wsfj_f, wsfj_n);                                                    \
            if (WSFJ_UNLIKELY(wsfj_f->wsfj_n < wsfj_k)) { /* the newest child that waits is the driver's again */      \
                for (; wsfj_x.wsfj_newest->wsfj_begun; wsfj_fold_pop(&wsfj_x))                                         \
                    WSFJ_FOLD_CALL(merge, wsfj_acc, WSFJ_FOLD_VALUE(A, R, wsfj_x.wsfj_newest));                        \
                wsfj_fold_pop(&wsfj_x);                                                                                \
            }                                                                                                          \
        } while (wsfj_more);                                                                                           \
        wsfj_loop_end(&wsfj_w);                                                                                        \
        wsfj_sync(wsfj_f);                                                                                             \
        for (; wsfj_x.wsfj_newest; wsfj_fold_pop(&wsfj_x))                                                             \
            if (wsfj_x.wsfj_newest->wsfj_begun) /* else dropped */                                                     \
                WSFJ_FOLD_CALL(merge, wsfj_acc, WSFJ_FOLD_VALUE(A, R, wsfj_x.wsfj_newest));                            \
        wsfj_fold_end(&wsfj_x);                                                                                        \
    }                                                                                                                  \
    WSFJ_NOTHING
#endif

static inline WSFJ_UNUSED int wsfj_not_called(int wsfj_none, ...)
{
    return wsfj_none;
}

/* The elision and the profile call neither, but a mistake in their types shows there, too, and they are not unused. */
#define WSFJ_FOLD_CHECK(R, init, merge, names, params, f)                                                              \
    static inline WSFJ_UNUSED void wsfj_check_##f(__typeof__(R) *wsfj_into, __typeof__(R) *wsfj_from WSFJ_UN params)   \
    {                                                                                                                  \
        (void)sizeof(wsfj_not_called(0 WSFJ_UN names)); /* so none of the captures is unused */                        \
        WSFJ_FOLD_CALL(init, wsfj_into);                                                                               \
        WSFJ_FOLD_CALL(merge, wsfj_into, wsfj_from);                                                                   \
    }                                                                                                                  \
    WSFJ_NOTHING

#if !defined WSFJ_SERIAL && !defined WSFJ_RACE
/* How many iterations a part has at least: init and merge pass over an R at some 4 bytes a nanosecond. */
WSFJ_INLINE uint64_t wsfj_fold_grain(const struct wsfj_loop_site *wsfj_site, size_t wsfj_size)
{
    const uint64_t wsfj_times = wsfj_size >> 13; /* of 2 microseconds, whose iterations the site knows */

    return wsfj_times ? wsfj_loop_fits(wsfj_site) * wsfj_times : 1;
}
#endif

#endif
