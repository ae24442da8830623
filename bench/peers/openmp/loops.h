/* SPDX-License-Identifier: MIT */
/*
 * The loop macros on OpenMP's parallel loops, for the benchmark kernels only: what wsfj.h is for tasks.
 *
 * WS_LOOP(add, long, i, double, a, double *, y) { ... } expands to
 *
 *   static inline void wsfj_each_add(long i, double a, double *y) { ... }      what the user wrote
 *   static void wsfj_for_add(long lo, long hi, double a, double *y)            ws_for: a parallel for around it
 *
 * The schedule is that of OMP_SCHEDULE, and static for WS_LOOP_STATIC. Captured values are firstprivate: both compilers
 * then keep them in registers. In the parameter list of wsfj_for_add, hi has the name i, so that the list is cut once.
 */
#ifndef PEERS_OPENMP_LOOPS_H
#define PEERS_OPENMP_LOOPS_H

#include <wsfj/inline/args.h>

#define WSFJ_OMP(...) WSFJ_OMP_(omp __VA_ARGS__)
#define WSFJ_OMP_(...) _Pragma(#__VA_ARGS__)
#define WSFJ_LOOP_CUT(macro, k, ...)                                                                                   \
    macro(WSFJ_PROTO(k, __VA_ARGS__), (WSFJ_PARAMS(k, __VA_ARGS__)), WSFJ_PASS(k, __VA_ARGS__), __VA_ARGS__, ~)

/* ws_for(f, lo, hi, ...), or ws_for(f, &result, lo, hi, ...). */
#define ws_for(f, ...) ((void)wsfj_for_##f(__VA_ARGS__), 0)

#define WS_LOOP(...) WSFJ_LOOP_1(WSFJ_ARITY(void, __VA_ARGS__), runtime, __VA_ARGS__)
#define WS_LOOP_STATIC(...) WSFJ_LOOP_1(WSFJ_ARITY(void, __VA_ARGS__), static, __VA_ARGS__)
#define WSFJ_LOOP_1(k, ...) WSFJ_LOOP_CUT(WSFJ_LOOP_2, k, __VA_ARGS__)
#define WSFJ_LOOP_2(proto, params, pass, how, f, I, i, ...)                                                            \
    inline void wsfj_each_##f proto;                                                                                   \
    static void wsfj_for_##f(I wsfj_lo WSFJ_UN params)                                                                 \
    {                                                                                                                  \
        const I wsfj_hi = i;                                                                                           \
        WSFJ_OMP(parallel for schedule(how) firstprivate pass)                                                         \
        for (I wsfj_i = wsfj_lo; wsfj_i < wsfj_hi; wsfj_i++) {                                                         \
            i = wsfj_i;                                                                                                \
            wsfj_each_##f pass;                                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void wsfj_each_##f proto

/* Two indices: there the second range comes in with the names i and j. */
#define WS_LOOP2(...) WSFJ_LOOP2_1(WSFJ_ARITY(void, __VA_ARGS__), runtime, __VA_ARGS__)
#define WSFJ_LOOP2_1(k, ...) WSFJ_LOOP_CUT(WSFJ_LOOP2_2, k, __VA_ARGS__)
#define WSFJ_LOOP2_2(proto, params, pass, how, f, I, i, J, j, ...)                                                     \
    inline void wsfj_each_##f proto;                                                                                   \
    static void wsfj_for_##f(I wsfj_ilo, I wsfj_ihi WSFJ_UN params)                                                    \
    {                                                                                                                  \
        const J wsfj_jlo = (J)i, wsfj_jhi = j;                                                                         \
        WSFJ_OMP(parallel for schedule(how) collapse(2) firstprivate pass)                                             \
        for (I wsfj_i = wsfj_ilo; wsfj_i < wsfj_ihi; wsfj_i++) {                                                       \
            for (J wsfj_j = wsfj_jlo; wsfj_j < wsfj_jhi; wsfj_j++) {                                                   \
                i = wsfj_i;                                                                                            \
                j = wsfj_j;                                                                                            \
                wsfj_each_##f pass;                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void wsfj_each_##f proto

/* A reduction declared by the user, so that any type and operation will do. Not deterministic. */
#define WS_ADD(a, b) ((a) + (b))
#define WS_REDUCE(R, identity, combine, ...)                                                                           \
    WSFJ_REDUCE_1(WSFJ_ARITY(void, __VA_ARGS__), R, identity, combine, __VA_ARGS__)
#define WSFJ_REDUCE_1(k, R, identity, combine, ...)                                                                    \
    WSFJ_REDUCE_2(WSFJ_PROTO(k, ~, __VA_ARGS__), (WSFJ_PARAMS(k, ~, __VA_ARGS__)), WSFJ_PASS(k, ~, __VA_ARGS__), R,    \
                  identity, combine, __VA_ARGS__, ~)
#define WSFJ_REDUCE_2(proto, params, pass, R, identity, combine, f, I, i, ...)                                         \
    inline R wsfj_each_##f proto;                                                                                      \
    WSFJ_OMP(declare reduction(wsfj_combine_##f:R                                                                      \
                               : omp_out = combine(omp_out, omp_in)) initializer(omp_priv = identity))                 \
    static void wsfj_for_##f(R *wsfj_rp, I wsfj_lo WSFJ_UN params)                                                     \
    {                                                                                                                  \
        const I wsfj_hi = i;                                                                                           \
        R wsfj_r = identity;                                                                                           \
        WSFJ_OMP(parallel for schedule(runtime) reduction(wsfj_combine_##f : wsfj_r) firstprivate pass)                \
        for (I wsfj_i = wsfj_lo; wsfj_i < wsfj_hi; wsfj_i++) {                                                         \
            i = wsfj_i;                                                                                                \
            wsfj_r = combine(wsfj_r, wsfj_each_##f pass);                                                              \
        }                                                                                                              \
        *wsfj_rp = wsfj_r;                                                                                             \
    }                                                                                                                  \
    static inline R wsfj_each_##f proto

/* Each thread has a copy on its stack. There is at least one captured value. */
#define WS_FOLD(R, init, merge, f, P, acc, I, i, ...)                                                                  \
    WSFJ_FOLD_1(WSFJ_ARITY(void, f, __VA_ARGS__), R, init, merge, P, acc, I, i, f, __VA_ARGS__)
#define WSFJ_FOLD_1(k, R, init, merge, P, acc, I, i, ...)                                                              \
    WSFJ_FOLD_2((WSFJ_PARAMS(k, ~, __VA_ARGS__)), (WSFJ_NAMES(k, ~, __VA_ARGS__)), WSFJ_PASS(k, ~, __VA_ARGS__), R,    \
                init, merge, P, acc, I, i, __VA_ARGS__, ~)
#define WSFJ_FOLD_2(params, names, pass, R, init, merge, P, acc, I, i, f, ...)                                         \
    inline void wsfj_each_##f(P acc, I i WSFJ_UN params);                                                              \
    WSFJ_OMP(declare reduction(wsfj_merge_##f:R : merge(&omp_out, &omp_in)) initializer(init(&omp_priv)))              \
    static void wsfj_for_##f(P acc, I wsfj_lo, I wsfj_hi WSFJ_UN params)                                               \
    {                                                                                                                  \
        R wsfj_r;                                                                                                      \
        init(&wsfj_r);                                                                                                 \
        WSFJ_OMP(parallel for schedule(runtime) reduction(wsfj_merge_##f : wsfj_r) firstprivate pass)                  \
        for (I wsfj_i = wsfj_lo; wsfj_i < wsfj_hi; wsfj_i++)                                                           \
            wsfj_each_##f(&wsfj_r, wsfj_i WSFJ_UN names);                                                              \
        merge(acc, &wsfj_r);                                                                                           \
    }                                                                                                                  \
    static inline void wsfj_each_##f(P acc, I i WSFJ_UN params)

#endif
