/* SPDX-License-Identifier: MIT */
/*
 * The loop macros on oneTBB's parallel_for and parallel_reduce, for the benchmark kernels only: what wsfj.h is for tasks.
 *
 * WS_LOOP(add, long, i, double, a, double *, y) { ... } expands to
 *
 *   static inline void wsfj_each_add(long i, double a, double *y) { ... }      what the user wrote
 *   static void wsfj_for_add(long lo, long hi, double a, double *y)            ws_for: a parallel_for around it
 *
 * The partitioner is the automatic one, and the static one for WS_LOOP_STATIC. In the parameter list of wsfj_for_add, hi
 * has the name i, so that the list is cut once.
 */
#ifndef PEERS_TBB_LOOPS_H
#define PEERS_TBB_LOOPS_H

#include <wsfj/inline/args.h>

#include <memory>
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#define WSFJ_LOOP_CUT(macro, k, ...)                                                                                   \
    macro(WSFJ_PROTO(k, __VA_ARGS__), (WSFJ_PARAMS(k, __VA_ARGS__)), WSFJ_PASS(k, __VA_ARGS__), __VA_ARGS__, ~)

/* ws_for(f, lo, hi, ...), or ws_for(f, &result, lo, hi, ...). */
#define ws_for(f, ...) ((void)wsfj_for_##f(__VA_ARGS__), 0)

#define WS_LOOP(...) WSFJ_LOOP_1(WSFJ_ARITY(void, __VA_ARGS__), auto_partitioner, __VA_ARGS__)
#define WS_LOOP_STATIC(...) WSFJ_LOOP_1(WSFJ_ARITY(void, __VA_ARGS__), static_partitioner, __VA_ARGS__)
#define WSFJ_LOOP_1(k, ...) WSFJ_LOOP_CUT(WSFJ_LOOP_2, k, __VA_ARGS__)
#define WSFJ_LOOP_2(proto, params, pass, how, f, I, i, ...)                                                            \
    inline void wsfj_each_##f proto;                                                                                   \
    static void wsfj_for_##f(I wsfj_lo WSFJ_UN params)                                                                 \
    {                                                                                                                  \
        const auto wsfj_some = [=](const tbb::blocked_range<I> &wsfj_part) {                                           \
            for (I i = wsfj_part.begin(); i < wsfj_part.end(); i++)                                                    \
                wsfj_each_##f pass;                                                                                    \
        };                                                                                                             \
        wsfj_arena.execute([&] { tbb::parallel_for(tbb::blocked_range<I>(wsfj_lo, i), wsfj_some, tbb::how()); });      \
    }                                                                                                                  \
    static inline void wsfj_each_##f proto

/* Two indices: there the second range comes in with the names i and j. */
#define WS_LOOP2(...) WSFJ_LOOP2_1(WSFJ_ARITY(void, __VA_ARGS__), auto_partitioner, __VA_ARGS__)
#define WSFJ_LOOP2_1(k, ...) WSFJ_LOOP_CUT(WSFJ_LOOP2_2, k, __VA_ARGS__)
#define WSFJ_LOOP2_2(proto, params, pass, how, f, I, i, J, j, ...)                                                     \
    inline void wsfj_each_##f proto;                                                                                   \
    static void wsfj_for_##f(I wsfj_ilo, I wsfj_ihi WSFJ_UN params)                                                    \
    {                                                                                                                  \
        const tbb::blocked_range2d<I, J> wsfj_all(wsfj_ilo, wsfj_ihi, (J)i, j);                                        \
        const auto wsfj_some = [=](const tbb::blocked_range2d<I, J> &wsfj_part) {                                      \
            for (I i = wsfj_part.rows().begin(); i < wsfj_part.rows().end(); i++)                                      \
                for (J j = wsfj_part.cols().begin(); j < wsfj_part.cols().end(); j++)                                  \
                    wsfj_each_##f pass;                                                                                \
        };                                                                                                             \
        wsfj_arena.execute([&] { tbb::parallel_for(wsfj_all, wsfj_some, tbb::how()); });                               \
    }                                                                                                                  \
    static inline void wsfj_each_##f proto

/* Not deterministic. */
#define WS_ADD(a, b) ((a) + (b))
#define WS_REDUCE(R, identity, combine, ...)                                                                           \
    WSFJ_REDUCE_1(WSFJ_ARITY(void, __VA_ARGS__), R, identity, combine, __VA_ARGS__)
#define WSFJ_REDUCE_1(k, R, identity, combine, ...)                                                                    \
    WSFJ_REDUCE_2(WSFJ_PROTO(k, ~, __VA_ARGS__), (WSFJ_PARAMS(k, ~, __VA_ARGS__)), WSFJ_PASS(k, ~, __VA_ARGS__), R,    \
                  identity, combine, __VA_ARGS__, ~)
#define WSFJ_REDUCE_2(proto, params, pass, R, identity, combine, f, I, i, ...)                                         \
    inline R wsfj_each_##f proto;                                                                                      \
    static void wsfj_for_##f(R *wsfj_rp, I wsfj_lo WSFJ_UN params)                                                     \
    {                                                                                                                  \
        const auto wsfj_some = [=](const tbb::blocked_range<I> &wsfj_part, R wsfj_r) {                                 \
            for (I i = wsfj_part.begin(); i < wsfj_part.end(); i++)                                                    \
                wsfj_r = combine(wsfj_r, wsfj_each_##f pass);                                                          \
            return wsfj_r;                                                                                             \
        };                                                                                                             \
        const auto wsfj_two = [](R wsfj_a, R wsfj_b) { return combine(wsfj_a, wsfj_b); };                              \
        wsfj_arena.execute([&] {                                                                                       \
            *wsfj_rp = tbb::parallel_reduce(tbb::blocked_range<I>(wsfj_lo, i), (R)identity, wsfj_some, wsfj_two);      \
        });                                                                                                            \
    }                                                                                                                  \
    static inline R wsfj_each_##f proto

/* What parallel_reduce wants for a fold: a copy on the heap for each split that another thread takes. */
template <typename R, void (*init)(R *), void (*merge)(R *, R *), typename Range, typename Some> struct wsfj_folder {
    const Some &some;
    std::unique_ptr<R> copy;

    explicit wsfj_folder(const Some &s) : some(s), copy(new R)
    {
        init(copy.get());
    }
    wsfj_folder(wsfj_folder &other, tbb::split) : wsfj_folder(other.some)
    {
    }
    void operator()(const Range &part)
    {
        some(copy.get(), part);
    }
    void join(wsfj_folder &right)
    {
        merge(copy.get(), right.copy.get());
    }
};

/* There is at least one captured value. */
#define WS_FOLD(R, init, merge, f, P, acc, I, i, ...)                                                                  \
    WSFJ_FOLD_1(WSFJ_ARITY(void, f, __VA_ARGS__), R, init, merge, P, acc, I, i, f, __VA_ARGS__)
#define WSFJ_FOLD_1(k, R, init, merge, P, acc, I, i, ...)                                                              \
    WSFJ_FOLD_2((WSFJ_PARAMS(k, ~, __VA_ARGS__)), (WSFJ_NAMES(k, ~, __VA_ARGS__)), R, init, merge, P, acc, I, i,       \
                __VA_ARGS__, ~)
#define WSFJ_FOLD_2(params, names, R, init, merge, P, acc, I, i, f, ...)                                               \
    inline void wsfj_each_##f(P acc, I i WSFJ_UN params);                                                              \
    static void wsfj_for_##f(P acc, I wsfj_lo, I wsfj_hi WSFJ_UN params)                                               \
    {                                                                                                                  \
        typedef tbb::blocked_range<I> wsfj_range;                                                                      \
        const auto wsfj_some = [=](P wsfj_copy, const wsfj_range &wsfj_part) {                                         \
            for (I wsfj_i = wsfj_part.begin(); wsfj_i < wsfj_part.end(); wsfj_i++)                                     \
                wsfj_each_##f(wsfj_copy, wsfj_i WSFJ_UN names);                                                        \
        };                                                                                                             \
        wsfj_folder<R, init, merge, wsfj_range, decltype(wsfj_some)> wsfj_body(wsfj_some);                             \
        wsfj_arena.execute([&] { tbb::parallel_reduce(wsfj_range(wsfj_lo, wsfj_hi), wsfj_body); });                    \
        merge(acc, wsfj_body.copy.get());                                                                              \
    }                                                                                                                  \
    static inline void wsfj_each_##f(P acc, I i WSFJ_UN params)

#endif
