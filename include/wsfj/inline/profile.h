/* SPDX-License-Identifier: MIT */
/*
 * The task macros of a profiled program. With -DWSFJ_PROFILE it runs serially, in the order of the elision, and the
 * library measures its work and span. WS_TASK(long, fib, long, n) { ... } expands to
 *
 *   long fib(long n)                                          the plain function
 *   long *wsfj_timed_fib(scope, site, long *rp, long n)       a spawn: calls fib and stores what it returns
 *   static inline long wsfj_body_fib(struct wsfj_scope *wsfj_f, long n) { ... }     the user's code
 *
 * A task defined in a file compiled without -DWSFJ_PROFILE has no wsfj_timed_..., so a program that spawns it here does
 * not link. strands.h has what is measured; race_task.h, serial.h and task.h have the other kinds of macros.
 */
#ifndef WSFJ_PROFILE_H
#define WSFJ_PROFILE_H

#if defined WSFJ_SERIAL || defined WSFJ_COUNT
#error "libwsfj: WSFJ_PROFILE and WSFJ_SERIAL exclude each other"
#endif

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "descriptor.h"
#include "scoped.h"
#include "strands.h"

#define WSFJ_CHILD(f) wsfj_timed_##f
#define WSFJ_BLOCK_OPEN wsfj_scope_open
#define WSFJ_BLOCK_CLOSE wsfj_scope_left
#define WSFJ_BODY_SYNC(scope) (wsfj_scope_sync(scope), WSFJ_PAID(scope))

#define WSFJ_BODY(R, f, proto, params) WSFJ_INLINE R wsfj_body_##f(struct wsfj_scope *wsfj_f WSFJ_UNUSED WSFJ_UN params)

#define WSFJ_TASK_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                        \
    WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                                  \
    WSFJ_BODY(__typeof__(R), f, proto, params);                                                                        \
    WSFJ_CHECK_PLAIN(plain, R, f);                                                                                     \
    WSFJ_SHARED WSFJ_TIMED(params, pass, R, f)                                                                         \
    WSFJ_UNUSED __typeof__(R) f proto                                                                                  \
    {                                                                                                                  \
        struct wsfj_scope wsfj_v = wsfj_scope_task();                                                                  \
        __typeof__(R) wsfj_r = wsfj_body_##f(&wsfj_v WSFJ_UN names);                                                   \
        wsfj_scope_close(&wsfj_v, WSFJ_NAMED(#f));                                                                     \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_BODY(__typeof__(R), f, proto, params)

#define WSFJ_TASK_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                             \
    WSFJ_BODY(void, f, proto, params);                                                                                 \
    WSFJ_CHECK_PLAIN(plain, int, f);                                                                                   \
    WSFJ_SHARED WSFJ_TIMED_VOID(params, pass, f)                                                                       \
    WSFJ_UNUSED void f proto                                                                                           \
    {                                                                                                                  \
        struct wsfj_scope wsfj_v = wsfj_scope_task();                                                                  \
        wsfj_body_##f(&wsfj_v WSFJ_UN names);                                                                          \
        wsfj_scope_close(&wsfj_v, WSFJ_NAMED(#f));                                                                     \
    }                                                                                                                  \
    WSFJ_BODY(void, f, proto, params)

#define WSFJ_SPAWNABLE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    static inline WSFJ_UNUSED WSFJ_TIMED(params, pass, R, f) WSFJ_SIGNATURE(__typeof__(R), params, names, f)

#define WSFJ_SPAWNABLE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)              \
    static inline WSFJ_UNUSED WSFJ_TIMED_VOID(params, pass, f) WSFJ_SIGNATURE(struct wsfj_no_result, params, names, f)

#define WSFJ_TIMED(params, pass, R, f)                                                                                 \
    __typeof__(R) *wsfj_timed_##f(struct wsfj_scope *wsfj_o, const struct wsfj_site *wsfj_s,                           \
                                  __typeof__(R) *wsfj_rp WSFJ_UN params)                                               \
    {                                                                                                                  \
        struct wsfj_spawned wsfj_c;                                                                                    \
        wsfj_child_begin(&wsfj_c, wsfj_o, wsfj_s);                                                                     \
        __typeof__(R) wsfj_r = f pass;                                                                                 \
        wsfj_child_end(&wsfj_c, wsfj_o);                                                                               \
        WSFJ_OWES(wsfj_o);                                                                                             \
        if (wsfj_rp)                                                                                                   \
            *wsfj_rp = wsfj_r;                                                                                         \
        return wsfj_rp;                                                                                                \
    }

#define WSFJ_TIMED_VOID(params, pass, f)                                                                               \
    void *wsfj_timed_##f(struct wsfj_scope *wsfj_o, const struct wsfj_site *wsfj_s WSFJ_UN params)                     \
    {                                                                                                                  \
        struct wsfj_spawned wsfj_c;                                                                                    \
        wsfj_child_begin(&wsfj_c, wsfj_o, wsfj_s);                                                                     \
        f pass;                                                                                                        \
        wsfj_child_end(&wsfj_c, wsfj_o);                                                                               \
        return NULL;                                                                                                   \
    }

#ifdef WSFJ_DEBUG
#define WSFJ_NAMED(name) name
#define WSFJ_OWES(scope)                                                                                               \
    do {                                                                                                               \
        if (scope)                                                                                                     \
            (scope)->wsfj_dropped = 1;                                                                                 \
    } while (0)
#define WSFJ_PAID(scope) ((void)((scope)->wsfj_dropped = 0))
#else
#define WSFJ_NAMED(name) NULL
#define WSFJ_OWES(scope) ((void)0)
#define WSFJ_PAID(scope) ((void)0)
#endif

WSFJ_INLINE void wsfj_scope_left(struct wsfj_scope *wsfj_scope)
{
    wsfj_scope_close(wsfj_scope, WSFJ_NAMED("a block with ws_frame()"));
}

#define WSFJ_RUN_0(f)                                                                                                  \
    __extension__({                                                                                                    \
        struct wsfj_profile_root wsfj_w;                                                                               \
        int wsfj_e = wsfj_profile_open(&wsfj_w);                                                                       \
        if (!wsfj_e) {                                                                                                 \
            (void)WSFJ_IF_TASK(f, wsfj_timed_##f)(NULL, NULL);                                                         \
            wsfj_profile_close(&wsfj_w);                                                                               \
        }                                                                                                              \
        wsfj_e;                                                                                                        \
    })
#define WSFJ_RUN_1(f, ...)                                                                                             \
    __extension__({                                                                                                    \
        struct wsfj_profile_root wsfj_w;                                                                               \
        int wsfj_e = wsfj_profile_open(&wsfj_w);                                                                       \
        if (!wsfj_e) {                                                                                                 \
            (void)WSFJ_IF_FITS("ws_run", f, wsfj_timed_##f, __VA_ARGS__)(NULL, NULL, __VA_ARGS__);                     \
            wsfj_profile_close(&wsfj_w);                                                                               \
        }                                                                                                              \
        wsfj_e;                                                                                                        \
    })

#endif
