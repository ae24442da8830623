/* SPDX-License-Identifier: MIT */
/*
 * The macros of a task's body in a profiled program (profile.h), and in one that is searched for races (race_task.h). Both
 * run serially, in scopes. Each of the two files defines
 *
 *   WSFJ_CHILD(f)                   the function that runs task f as a child: wsfj_timed_f or wsfj_raced_f
 *   WSFJ_BLOCK_OPEN                 opens a scope for a block with ws_frame()
 *   WSFJ_BLOCK_CLOSE                closes it
 *   WSFJ_BODY_SYNC(scope)           a sync
 *
 * spawn.h has the macros of the parallel program, serial.h those of the elision.
 */
#ifndef WSFJ_SCOPED_H
#define WSFJ_SCOPED_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "check.h"
#include "forms.h"

#ifdef __clang__
#pragma clang diagnostic error "-Wundefined-internal" /* see task.h */
#endif

#define WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                     \
    __typeof__(R) f proto,                                                                                             \
        *WSFJ_CHILD(f)(struct wsfj_scope *, const struct wsfj_site *, __typeof__(R) *WSFJ_UN params);                  \
    WSFJ_SIGNATURE(__typeof__(R), params, names, f)
#define WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                \
    void f proto, *WSFJ_CHILD(f)(struct wsfj_scope *, const struct wsfj_site *WSFJ_UN params);                         \
    WSFJ_SIGNATURE(struct wsfj_no_result, params, names, f)

/* A scope inside another one hides it on purpose. */
#define ws_frame()                                                                                                     \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") struct wsfj_scope wsfj_v             \
        __attribute__((__cleanup__(WSFJ_BLOCK_CLOSE))) = WSFJ_BLOCK_OPEN();                                            \
    WSFJ_FRAME_FUNCTION;                                                                                               \
    struct wsfj_scope *const wsfj_f = &wsfj_v;                                                                         \
    _Pragma("GCC diagnostic pop") WSFJ_NOTHING

void wsfj_f(void); /* outside of tasks: see spawn.h */
#define WSFJ_HERE ((struct wsfj_scope *)wsfj_f)

/* Where a spawn stands. */
#define WSFJ_SITE(f) static const struct wsfj_site wsfj_here = {__FILE__, #f, __LINE__}

#define WSFJ_SPAWN_0(f)                                                                                                \
    __extension__({                                                                                                    \
        WSFJ_SITE(f);                                                                                                  \
        WSFJ_CHECK_FRAME("ws_spawn(" #f ", ...)");                                                                     \
        (void)WSFJ_IF_TASK(f, WSFJ_CHILD(f))(WSFJ_HERE, &wsfj_here);                                                   \
        wsfj_no_value();                                                                                               \
    })
#define WSFJ_SPAWN_1(f, ...)                                                                                           \
    __extension__({                                                                                                    \
        WSFJ_SITE(f);                                                                                                  \
        WSFJ_CHECK_FRAME("ws_spawn(" #f ", ...)");                                                                     \
        (void)WSFJ_IF_FITS("ws_spawn", f, WSFJ_CHILD(f), __VA_ARGS__)(WSFJ_HERE, &wsfj_here, __VA_ARGS__);             \
        wsfj_no_value();                                                                                               \
    })

/* Without a scope, a spawn is a call. */
#define WSFJ_SPAWN_IF_0(condition, f)                                                                                  \
    __extension__({                                                                                                    \
        WSFJ_SITE(f);                                                                                                  \
        WSFJ_CHECK_FRAME("ws_spawn_if(..., " #f ", ...)");                                                             \
        (void)WSFJ_IF_TASK(f, WSFJ_CHILD(f))((condition) ? WSFJ_HERE : NULL, &wsfj_here);                              \
        wsfj_no_value();                                                                                               \
    })
#define WSFJ_SPAWN_IF_1(condition, f, ...)                                                                             \
    __extension__({                                                                                                    \
        WSFJ_SITE(f);                                                                                                  \
        WSFJ_CHECK_FRAME("ws_spawn_if(..., " #f ", ...)");                                                             \
        (void)WSFJ_IF_FITS("ws_spawn_if", f, WSFJ_CHILD(f), __VA_ARGS__)((condition) ? WSFJ_HERE : NULL, &wsfj_here,   \
                                                                         __VA_ARGS__);                                 \
        wsfj_no_value();                                                                                               \
    })

#define WSFJ_CALL_0(f) (WSFJ_CHECKED("ws_call(" #f ")"), WSFJ_IF_TASK(f, f)())
#define WSFJ_CALL_1(f, ...) (WSFJ_CHECKED("ws_call(" #f ", ...)"), WSFJ_IF_CALLED(f, f, __VA_ARGS__)(__VA_ARGS__))

#define ws_sync()                                                                                                      \
    __extension__({                                                                                                    \
        WSFJ_CHECK_FRAME("ws_sync()");                                                                                 \
        WSFJ_BODY_SYNC(WSFJ_HERE);                                                                                     \
    })

#endif
