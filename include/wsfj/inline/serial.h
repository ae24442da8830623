/* SPDX-License-Identifier: MIT */
/*
 * The serial elision: the task macros as plain C.
 *
 * With -DWSFJ_SERIAL the same source becomes an ordinary sequential program: a spawn is a call, a sync does nothing.
 * This is the baseline of the benchmarks and the oracle of the tests. WS_TASK(long, fib, long, n) { ... } expands to
 *
 *   long fib(long n) { ... }
 *   long *wsfj_put_fib(long *rp, long n)     a spawn: calls fib and stores its result
 *
 * A task without a result gets void *wsfj_put_f(params) instead. task.h and spawn.h have the same macros for the
 * parallel program.
 */
#ifndef WSFJ_SERIAL_H
#define WSFJ_SERIAL_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "check.h"
#include "forms.h"

#include <errno.h>
#include <stddef.h>

#define WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                     \
    __typeof__(R) f proto, *wsfj_put_##f(__typeof__(R) *WSFJ_UN params);                                               \
    WSFJ_SIGNATURE(__typeof__(R), params, names, f)
#define WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                \
    void f proto, *wsfj_put_##f proto;                                                                                 \
    WSFJ_SIGNATURE(struct wsfj_no_result, params, names, f)

#define WSFJ_BODY(R, f, proto, params) WSFJ_UNUSED R f proto

#define WSFJ_TASK_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                        \
    WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                                  \
    WSFJ_SHARED WSFJ_PUT(params, pass, R, f) WSFJ_BODY(__typeof__(R), f, proto, params)

#define WSFJ_TASK_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                             \
    WSFJ_SHARED WSFJ_PUT_VOID(proto, pass, f) WSFJ_BODY(void, f, proto, params)

#define WSFJ_SPAWNABLE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    static inline WSFJ_UNUSED WSFJ_PUT(params, pass, R, f) WSFJ_SIGNATURE(__typeof__(R), params, names, f)

#define WSFJ_SPAWNABLE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)              \
    static inline WSFJ_UNUSED WSFJ_PUT_VOID(proto, pass, f) WSFJ_SIGNATURE(struct wsfj_no_result, params, names, f)

#define WSFJ_PUT(params, pass, R, f)                                                                                   \
    __typeof__(R) *wsfj_put_##f(__typeof__(R) *wsfj_rp WSFJ_UN params)                                                 \
    {                                                                                                                  \
        __typeof__(R) wsfj_r = f pass;                                                                                 \
        if (wsfj_rp)                                                                                                   \
            *wsfj_rp = wsfj_r;                                                                                         \
        return wsfj_rp;                                                                                                \
    }

#define WSFJ_PUT_VOID(proto, pass, f)                                                                                  \
    void *wsfj_put_##f proto                                                                                           \
    {                                                                                                                  \
        f pass;                                                                                                        \
        return NULL;                                                                                                   \
    }

#define ws_frame() WSFJ_NOTHING

/* With -DWSFJ_COUNT the program defines this counter, which counts its spawns. */
#ifdef WSFJ_COUNT
extern unsigned long long wsfj_count;
#define WSFJ_COUNT_ONE() ((void)wsfj_count++)
#else
#define WSFJ_COUNT_ONE() ((void)0)
#endif

#define WSFJ_SPAWN_0(f)                                                                                                \
    __extension__({                                                                                                    \
        WSFJ_COUNT_ONE();                                                                                              \
        (void)WSFJ_IF_TASK(f, wsfj_put_##f)();                                                                         \
        wsfj_no_value();                                                                                               \
    })
#define WSFJ_SPAWN_1(f, ...)                                                                                           \
    __extension__({                                                                                                    \
        WSFJ_COUNT_ONE();                                                                                              \
        (void)WSFJ_IF_FITS("ws_spawn", f, wsfj_put_##f, __VA_ARGS__)(__VA_ARGS__);                                     \
        wsfj_no_value();                                                                                               \
    })
#define WSFJ_SPAWN_IF_0(condition, f)                                                                                  \
    __extension__({                                                                                                    \
        if (condition)                                                                                                 \
            WSFJ_COUNT_ONE();                                                                                          \
        (void)WSFJ_IF_TASK(f, wsfj_put_##f)();                                                                         \
        wsfj_no_value();                                                                                               \
    })
#define WSFJ_SPAWN_IF_1(condition, f, ...)                                                                             \
    __extension__({                                                                                                    \
        if (condition)                                                                                                 \
            WSFJ_COUNT_ONE();                                                                                          \
        (void)WSFJ_IF_FITS("ws_spawn_if", f, wsfj_put_##f, __VA_ARGS__)(__VA_ARGS__);                                  \
        wsfj_no_value();                                                                                               \
    })

#define WSFJ_CALL_0(f) WSFJ_IF_TASK(f, f)()
#define WSFJ_CALL_1(f, ...) WSFJ_IF_CALLED(f, f, __VA_ARGS__)(__VA_ARGS__)

#define ws_sync() ((void)0)

#define WSFJ_RUN_0(f)                                                                                                  \
    __extension__({                                                                                                    \
        (void)WSFJ_IF_TASK(f, wsfj_put_##f)();                                                                         \
        0;                                                                                                             \
    })
#define WSFJ_RUN_1(f, ...)                                                                                             \
    __extension__({                                                                                                    \
        (void)WSFJ_IF_FITS("ws_run", f, wsfj_put_##f, __VA_ARGS__)(__VA_ARGS__);                                       \
        0;                                                                                                             \
    })

#endif
