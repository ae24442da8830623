/* SPDX-License-Identifier: MIT */
/*
 * The task macros on OpenMP tasks, for the benchmark kernels only.
 *
 * WS_TASK(long, fib, long, n) { ... } expands to
 *
 *   long fib(long n) { ... }                 what the user wrote
 *   long wsfj_call_fib(long n)               ws_call
 *   long *wsfj_put_fib(long *rp, long n)     a spawn: what it is given, evaluated once, is firstprivate in a task
 *   long *wsfj_start_fib(long *rp, long n)   ws_run: a team, one thread of which runs the root and the others its tasks
 *
 * ws_sync is taskwait. Unlike in libwsfj, a task must sync before it returns.
 */
#ifndef WSFJ_H
#define WSFJ_H

#include <wsfj/inline/forms.h>

#include <stddef.h>
#include <stdint.h>

#define WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                     \
    __typeof__(R) f proto, wsfj_call_##f proto, *wsfj_put_##f(__typeof__(R) *WSFJ_UN params),                          \
        *wsfj_start_##f(__typeof__(R) *WSFJ_UN params)
#define WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                \
    void f proto, wsfj_call_##f proto, *wsfj_put_##f proto, *wsfj_start_##f proto

#define WSFJ_TASK_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                        \
    WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                                  \
    WSFJ_SHARED WSFJ_CALLER(proto, pass, R, f)                                                                         \
    WSFJ_SHARED WSFJ_UNDER(put, params, pass, R, f)                                                                    \
    WSFJ_SHARED WSFJ_UNDER(start, params, pass, R, f)                                                                  \
    WSFJ_UNUSED __typeof__(R) f proto

#define WSFJ_TASK_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                             \
    WSFJ_SHARED WSFJ_CALLER_VOID(proto, pass, f)                                                                       \
    WSFJ_SHARED WSFJ_UNDER_VOID(put, proto, pass, f)                                                                   \
    WSFJ_SHARED WSFJ_UNDER_VOID(start, proto, pass, f)                                                                 \
    WSFJ_UNUSED void f proto

#define WSFJ_SPAWNABLE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    static inline WSFJ_UNUSED WSFJ_CALLER(proto, pass, R, f) static inline WSFJ_UNUSED WSFJ_UNDER(                     \
        put, params, pass, R, f) static inline WSFJ_UNUSED                                                             \
    WSFJ_UNDER(start, params, pass, R, f)                                                                              \
    struct wsfj_needs_semicolon

#define WSFJ_SPAWNABLE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)              \
    static inline WSFJ_UNUSED WSFJ_CALLER_VOID(proto, pass, f) static inline WSFJ_UNUSED WSFJ_UNDER_VOID(              \
        put, proto, pass, f) static inline WSFJ_UNUSED                                                                 \
    WSFJ_UNDER_VOID(start, proto, pass, f)                                                                             \
    struct wsfj_needs_semicolon

/* A call under these directives. The parameters are locals: shared in a team, firstprivate in a task. */
#define WSFJ_DIRECTIVES_put _Pragma("omp task")
#define WSFJ_DIRECTIVES_start _Pragma("omp parallel") _Pragma("omp single")

#define WSFJ_UNDER(how, params, pass, R, f)                                                                            \
    __typeof__(R) *wsfj_##how##_##f(__typeof__(R) *wsfj_rp WSFJ_UN params)                                             \
    {                                                                                                                  \
        WSFJ_DIRECTIVES_##how                                                                                          \
        {                                                                                                              \
            __typeof__(R) wsfj_r = f pass;                                                                             \
            if (wsfj_rp)                                                                                               \
                *wsfj_rp = wsfj_r;                                                                                     \
        }                                                                                                              \
        return wsfj_rp;                                                                                                \
    }
#define WSFJ_UNDER_VOID(how, proto, pass, f)                                                                           \
    void *wsfj_##how##_##f proto                                                                                       \
    {                                                                                                                  \
        WSFJ_DIRECTIVES_##how                                                                                          \
        {                                                                                                              \
            f pass;                                                                                                    \
        }                                                                                                              \
        return NULL;                                                                                                   \
    }

/*
 * A function that is just called belongs to the task that calls it, so its sync also waits for the caller's children.
 * `if(0)` makes the call a task of its own, run at once. libomp is up to three times as fast with it when tasks are
 * tiny, libgomp somewhat slower: each gets the faster way.
 */
#ifdef __clang__
#define WSFJ_CALL_WITH_RESULT _Pragma("omp task if(0) shared(wsfj_r)")
#define WSFJ_CALL_WITHOUT _Pragma("omp task if(0)")
#else
#define WSFJ_CALL_WITH_RESULT
#define WSFJ_CALL_WITHOUT
#endif

#define WSFJ_CALLER(proto, pass, R, f)                                                                                 \
    __typeof__(R) wsfj_call_##f proto                                                                                  \
    {                                                                                                                  \
        __typeof__(R) wsfj_r;                                                                                          \
        WSFJ_CALL_WITH_RESULT                                                                                          \
        {                                                                                                              \
            wsfj_r = f pass;                                                                                           \
        }                                                                                                              \
        return wsfj_r;                                                                                                 \
    }
#define WSFJ_CALLER_VOID(proto, pass, f)                                                                               \
    void wsfj_call_##f proto                                                                                           \
    {                                                                                                                  \
        WSFJ_CALL_WITHOUT                                                                                              \
        {                                                                                                              \
            f pass;                                                                                                    \
        }                                                                                                              \
    }

static inline void wsfj_block_end(char *block)
{
    (void)block;
    _Pragma("omp taskwait");
}
#define ws_frame() char wsfj_block __attribute__((cleanup(wsfj_block_end), unused))

#define WSFJ_SPAWN_0(f) ((void)wsfj_put_##f())
#define WSFJ_SPAWN_1(f, ...) ((void)wsfj_put_##f(__VA_ARGS__))

#define WSFJ_CALL_0(f) wsfj_call_##f()
#define WSFJ_CALL_1(f, ...) wsfj_call_##f(__VA_ARGS__)

#define ws_sync()                                                                                                      \
    do {                                                                                                               \
        _Pragma("omp taskwait");                                                                                       \
    } while (0)

#define WSFJ_RUN_0(f) ((void)wsfj_start_##f(), 0)
#define WSFJ_RUN_1(f, ...) ((void)wsfj_start_##f(__VA_ARGS__), 0)

#include "loops.h"

#endif
