/* SPDX-License-Identifier: MIT */
/*
 * Defines the tasks of the parallel program: WS_TASK, WS_DECLARE, WS_SPAWNABLE.
 *
 * WS_TASK(long, fib, long, n) { ... } expands to
 *
 *   long fib(long n)                         the plain function: finds the deque and calls wsfj_go_fib
 *   long wsfj_go_fib(deque, base, long n)     the same with the deque as hidden parameters: calls wsfj_run_0_fib
 *   long wsfj_twin_1_fib(...), wsfj_twin_2_fib(...)     the same again, see below
 *   long *wsfj_spawn_of_fib(...)             writes the task's descriptor
 *   typedef long *WSFJ_RESULT_POINTER(fib)   the type of its result pointer, for the checks at a spawn (check.h)
 *   void wsfj_exec_fib(...)                  runs a descriptor, for a thief or a sync of mixed children (descriptor.h)
 *   long wsfj_out_fib(long n)                the plain function outside any region
 *   static long wsfj_run_0_fib(long n, deque, base)     the task: a frame, the user's code, a sync at the end
 *   static inline long wsfj_body_fib(struct wsfj_frame *wsfj_f, long n) { ... }     the user's code
 *
 * One declaration declares the first four, so that a leading `static` covers them all. spawn.h has the macros of the
 * body, serial.h the same macros for the elision, fastpath.h the functions behind them.
 */
#ifndef WSFJ_TASK_H
#define WSFJ_TASK_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "descriptor.h"
#include "fastpath.h"
#include "forms.h"
#include "spawn.h"

/* A task that is declared with WS_TASK(...); and called could not be linked; gcc says so by itself. */
#ifdef __clang__
#pragma clang diagnostic error "-Wundefined-internal"
#endif

#define WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                     \
    __typeof__(R) f proto, wsfj_go_##f(struct wsfj_deque *, struct wsfj_descriptor *WSFJ_UN params),                   \
        wsfj_twin_1_##f(struct wsfj_deque *, struct wsfj_descriptor *WSFJ_UN params),                                  \
        wsfj_twin_2_##f(struct wsfj_deque *, struct wsfj_descriptor *WSFJ_UN params),                                  \
        *wsfj_spawn_of_##f(struct wsfj_deque *, struct wsfj_descriptor *, struct wsfj_call_how *,                      \
                           __typeof__(R) *WSFJ_UN params);                                                             \
    WSFJ_SIGNATURE(__typeof__(R), params, names, f)
#define WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                \
    void f proto, wsfj_go_##f(struct wsfj_deque *, struct wsfj_descriptor *WSFJ_UN params),                            \
        wsfj_twin_1_##f(struct wsfj_deque *, struct wsfj_descriptor *WSFJ_UN params),                                  \
        wsfj_twin_2_##f(struct wsfj_deque *, struct wsfj_descriptor *WSFJ_UN params),                                  \
        *wsfj_spawn_of_##f(struct wsfj_deque *, struct wsfj_descriptor *, struct wsfj_call_how *WSFJ_UN params);       \
    WSFJ_SIGNATURE(struct wsfj_no_result, params, names, f)

/* A body; the compiler inlines it into each copy of the task. */
#define WSFJ_BODY(R, f, proto, params) WSFJ_INLINE R wsfj_body_##f(struct wsfj_frame *wsfj_f WSFJ_UNUSED WSFJ_UN params)

#define WSFJ_TASK_2(...) WSFJ_TASK_3((NULL, 0), __VA_ARGS__)
#define WSFJ_TASK_3(loop, proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                  \
    WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                                  \
    WSFJ_LAYOUT(fields, plain, R, f);                                                                                  \
    WSFJ_BODY(__typeof__(R), f, proto, params);                                                                        \
    WSFJ_GO(wsfj_go, 0, params, names, R, f)                                                                           \
    WSFJ_TWINS_OF(params, names, R, f)                                                                                 \
    WSFJ_HELPERS(loop, WSFJ_SHARED, params, names, fields, stores, loads, sizes, R, f)                                 \
                                                                                                                       \
    WSFJ_OUTLINE __typeof__(R) wsfj_out_##f proto                                                                      \
    {                                                                                                                  \
        struct wsfj_deque *wsfj_deque = wsfj_serial_begin();                                                           \
        __typeof__(R) wsfj_r = wsfj_go_##f(wsfj_deque, wsfj_tail(wsfj_deque) WSFJ_UN names);                           \
        wsfj_serial_end(wsfj_deque);                                                                                   \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_UNUSED __typeof__(R) f proto                                                                                  \
    {                                                                                                                  \
        struct wsfj_deque *wsfj_deque = wsfj_self();                                                                   \
        if (WSFJ_UNLIKELY(!wsfj_deque))                                                                                \
            return wsfj_out_##f pass;                                                                                  \
        return wsfj_go_##f(wsfj_deque, wsfj_tail(wsfj_deque) WSFJ_UN names);                                           \
    }                                                                                                                  \
    WSFJ_BODY(__typeof__(R), f, proto, params)

#define WSFJ_TASK_VOID_2(...) WSFJ_TASK_VOID_3((NULL, 0), __VA_ARGS__)
#define WSFJ_TASK_VOID_3(loop, proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)             \
    WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                             \
    WSFJ_LAYOUT(fields, plain, int, f);                                                                                \
    WSFJ_BODY(void, f, proto, params);                                                                                 \
    WSFJ_GO_VOID(wsfj_go, 0, params, names, f)                                                                         \
    WSFJ_TWINS_OF_VOID(params, names, f)                                                                               \
    WSFJ_HELPERS_VOID(loop, WSFJ_SHARED, params, names, fields, stores, loads, sizes, f)                               \
                                                                                                                       \
    WSFJ_OUTLINE void wsfj_out_##f proto                                                                               \
    {                                                                                                                  \
        struct wsfj_deque *wsfj_deque = wsfj_serial_begin();                                                           \
        wsfj_go_##f(wsfj_deque, wsfj_tail(wsfj_deque) WSFJ_UN names);                                                  \
        wsfj_serial_end(wsfj_deque);                                                                                   \
    }                                                                                                                  \
    WSFJ_UNUSED void f proto                                                                                           \
    {                                                                                                                  \
        struct wsfj_deque *wsfj_deque = wsfj_self();                                                                   \
        if (WSFJ_UNLIKELY(!wsfj_deque))                                                                                \
            wsfj_out_##f pass;                                                                                         \
        else                                                                                                           \
            wsfj_go_##f(wsfj_deque, wsfj_tail(wsfj_deque) WSFJ_UN names);                                              \
    }                                                                                                                  \
    WSFJ_BODY(void, f, proto, params)

/* The task with its own parameters first, as in a plain call, so that a leaf often needs no stack frame
 * (doc/decisions/0003-twins.md). All other code calls `go`, which only passes on. */
#define WSFJ_GO(go, twin, params, names, R, f)                                                                         \
    static WSFJ_RUN __typeof__(R) wsfj_run_##twin##_##f(                                                               \
        WSFJ_REST(WSFJ_UN params, struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base))                   \
    {                                                                                                                  \
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque, wsfj_base, twin);                                         \
        __typeof__(R) wsfj_r = wsfj_body_##f(&wsfj_v WSFJ_UN names);                                                   \
        WSFJ_LEAVE(&wsfj_v, WSFJ_TASK_NAME(f), WSFJ_FRAME_END);                                                        \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_SHARED WSFJ_ALWAYS __typeof__(R) go##_##f(struct wsfj_deque *wsfj_deque,                                      \
                                                   struct wsfj_descriptor *wsfj_base WSFJ_UN params)                   \
    {                                                                                                                  \
        return wsfj_run_##twin##_##f(WSFJ_REST(WSFJ_UN names, wsfj_deque, wsfj_base));                                 \
    }
#define WSFJ_GO_VOID(go, twin, params, names, f)                                                                       \
    static WSFJ_RUN void wsfj_run_##twin##_##f(                                                                        \
        WSFJ_REST(WSFJ_UN params, struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base))                   \
    {                                                                                                                  \
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque, wsfj_base, twin);                                         \
        wsfj_body_##f(&wsfj_v WSFJ_UN names);                                                                          \
        WSFJ_LEAVE(&wsfj_v, WSFJ_TASK_NAME(f), WSFJ_FRAME_END);                                                        \
    }                                                                                                                  \
    WSFJ_SHARED WSFJ_ALWAYS void go##_##f(struct wsfj_deque *wsfj_deque,                                               \
                                          struct wsfj_descriptor *wsfj_base WSFJ_UN params)                            \
    {                                                                                                                  \
        wsfj_run_##twin##_##f(WSFJ_REST(WSFJ_UN names, wsfj_deque, wsfj_base));                                        \
    }

/*
 * clang never inlines a function into itself. So with clang each task is compiled three times, and each twin calls the next
 * one: clang inlines one into the other, which saves most calls. gcc inlines recursion by itself; there the twins only call
 * the task. doc/decisions/0003-twins.md has the measurements.
 */
#if defined __clang__ && defined __OPTIMIZE__ && !defined __OPTIMIZE_SIZE__
#define WSFJ_TWINS_OF(params, names, R, f)                                                                             \
    WSFJ_GO(wsfj_twin_1, 1, params, names, R, f) WSFJ_GO(wsfj_twin_2, 2, params, names, R, f)
#define WSFJ_TWINS_OF_VOID(params, names, f)                                                                           \
    WSFJ_GO_VOID(wsfj_twin_1, 1, params, names, f) WSFJ_GO_VOID(wsfj_twin_2, 2, params, names, f)
#define WSFJ_NEXT_TWIN(frame, f)                                                                                       \
    ((frame)->wsfj_twin == 0 ? wsfj_twin_1_##f : (frame)->wsfj_twin == 1 ? wsfj_twin_2_##f : wsfj_go_##f)
#define WSFJ_EXEC_TWIN(n, f) wsfj_exec_##n##_##f
#define WSFJ_EXEC_TWINS(loads, R, f)                                                                                   \
    WSFJ_EXEC(static inline WSFJ_UNUSED, wsfj_exec_1, wsfj_twin_1_##f, loads, R, f)                                    \
    WSFJ_EXEC(static inline WSFJ_UNUSED, wsfj_exec_2, wsfj_twin_2_##f, loads, R, f)
#define WSFJ_EXEC_TWINS_VOID(loads, f)                                                                                 \
    WSFJ_EXEC_VOID(static inline WSFJ_UNUSED, wsfj_exec_1, wsfj_twin_1_##f, loads, f)                                  \
    WSFJ_EXEC_VOID(static inline WSFJ_UNUSED, wsfj_exec_2, wsfj_twin_2_##f, loads, f)
#else
#define WSFJ_TWINS_OF(params, names, R, f) WSFJ_PASS_ON(WSFJ_SHARED, params, names, R, f)
#define WSFJ_TWINS_OF_VOID(params, names, f) WSFJ_PASS_ON_VOID(WSFJ_SHARED, params, names, f)
#define WSFJ_NEXT_TWIN(frame, f) wsfj_go_##f
#define WSFJ_EXEC_TWIN(n, f) WSFJ_OWN(f)
#define WSFJ_EXEC_TWINS(loads, R, f)
#define WSFJ_EXEC_TWINS_VOID(loads, f)
#endif

#define WSFJ_PASS_ON(kind, params, names, R, f)                                                                        \
    WSFJ_PASSES_ON(kind, wsfj_twin_1, params, names, R, f) WSFJ_PASSES_ON(kind, wsfj_twin_2, params, names, R, f)
#define WSFJ_PASSES_ON(kind, twin, params, names, R, f)                                                                \
    kind __typeof__(R) twin##_##f(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base WSFJ_UN params)     \
    {                                                                                                                  \
        return wsfj_go_##f(wsfj_deque, wsfj_base WSFJ_UN names);                                                       \
    }
#define WSFJ_PASS_ON_VOID(kind, params, names, f)                                                                      \
    WSFJ_PASSES_ON_VOID(kind, wsfj_twin_1, params, names, f) WSFJ_PASSES_ON_VOID(kind, wsfj_twin_2, params, names, f)
#define WSFJ_PASSES_ON_VOID(kind, twin, params, names, f)                                                              \
    kind void twin##_##f(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base WSFJ_UN params)              \
    {                                                                                                                  \
        wsfj_go_##f(wsfj_deque, wsfj_base WSFJ_UN names);                                                              \
    }

/* Makes an existing function spawnable in this file. */
#define WSFJ_SPAWNABLE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    WSFJ_LAYOUT(fields, plain, R, f);                                                                                  \
    static inline WSFJ_UNUSED __typeof__(R) wsfj_go_##f(struct wsfj_deque *wsfj_deque WSFJ_UNUSED,                     \
                                                        struct wsfj_descriptor *wsfj_base WSFJ_UNUSED WSFJ_UN params)  \
    {                                                                                                                  \
        return f pass;                                                                                                 \
    }                                                                                                                  \
    WSFJ_PASS_ON(static inline WSFJ_UNUSED, params, names, R, f)                                                       \
    WSFJ_HELPERS((NULL, 0), static inline WSFJ_UNUSED, params, names, fields, stores, loads, sizes, R, f)              \
    WSFJ_SIGNATURE(__typeof__(R), params, names, f)

#define WSFJ_SPAWNABLE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)              \
    WSFJ_LAYOUT(fields, plain, int, f);                                                                                \
    static inline WSFJ_UNUSED void wsfj_go_##f(struct wsfj_deque *wsfj_deque WSFJ_UNUSED,                              \
                                               struct wsfj_descriptor *wsfj_base WSFJ_UNUSED WSFJ_UN params)           \
    {                                                                                                                  \
        f pass;                                                                                                        \
    }                                                                                                                  \
    WSFJ_PASS_ON_VOID(static inline WSFJ_UNUSED, params, names, f)                                                     \
    WSFJ_HELPERS_VOID((NULL, 0), static inline WSFJ_UNUSED, params, names, fields, stores, loads, sizes, f)            \
    WSFJ_SIGNATURE(struct wsfj_no_result, params, names, f)

#endif
