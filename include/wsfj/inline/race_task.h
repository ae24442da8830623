/* SPDX-License-Identifier: MIT */
/*
 * The task macros of a program that is searched for races. With -DWSFJ_RACE it runs serially, in the order of the elision.
 * WS_TASK(long, fib, long, n) { ... } expands to
 *
 *   long fib(long n)                                          the plain function
 *   long *wsfj_raced_fib(scope, site, long *rp, long n)       a spawn: calls fib and stores what it returns
 *   static long wsfj_body_fib(struct wsfj_scope *wsfj_f, long n) { ... }     the user's code
 *
 * A task defined in a file compiled without -DWSFJ_RACE has no wsfj_raced_..., so a program that spawns it here does not
 * link. race_hooks.h has what is called; profile.h, serial.h and task.h have the other kinds of macros.
 */
#ifndef WSFJ_RACE_TASK_H
#define WSFJ_RACE_TASK_H

#if defined WSFJ_SERIAL || defined WSFJ_PROFILE || defined WSFJ_COUNT
#error "libwsfj: WSFJ_RACE excludes WSFJ_SERIAL and WSFJ_PROFILE"
#endif

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "descriptor.h"
#include "race_hooks.h"
#include "scoped.h"

#define WSFJ_CHILD(f) wsfj_raced_##f
#define WSFJ_BLOCK_OPEN wsfj_race_begin_block
#define WSFJ_BLOCK_CLOSE wsfj_race_close
#define WSFJ_BODY_SYNC(scope) wsfj_race_sync(scope)

#define WSFJ_BODY(R, f, proto, params)                                                                                 \
    static WSFJ_RACED_BODY R wsfj_body_##f(struct wsfj_scope *wsfj_f WSFJ_UNUSED WSFJ_UN params)

#define WSFJ_OPEN(f)                                                                                                   \
    struct wsfj_scope wsfj_v;                                                                                          \
    wsfj_race_open(&wsfj_v, #f);
#define WSFJ_CLOSE wsfj_race_close(&wsfj_v);

#define WSFJ_TASK_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                        \
    WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                                  \
    WSFJ_BODY(__typeof__(R), f, proto, params);                                                                        \
    WSFJ_CHECK_PLAIN(plain, R, f);                                                                                     \
    WSFJ_RACED(WSFJ_OPAQUE, params, names, fields, stores, loads, R, f, WSFJ_OPEN(f),                                  \
               wsfj_body_##f(&wsfj_v WSFJ_UN names), WSFJ_CLOSE)                                                       \
    WSFJ_RACED_BODY __typeof__(R) f proto                                                                              \
    {                                                                                                                  \
        WSFJ_OPEN(f)                                                                                                   \
        __typeof__(R) wsfj_r = wsfj_body_##f(&wsfj_v WSFJ_UN names);                                                   \
        WSFJ_CLOSE                                                                                                     \
        return wsfj_r;                                                                                                 \
    }                                                                                                                  \
    WSFJ_BODY(__typeof__(R), f, proto, params)

#define WSFJ_TASK_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                             \
    WSFJ_BODY(void, f, proto, params);                                                                                 \
    WSFJ_CHECK_PLAIN(plain, int, f);                                                                                   \
    WSFJ_RACED_VOID(WSFJ_OPAQUE, params, names, fields, stores, loads, f, WSFJ_OPEN(f),                                \
                    wsfj_body_##f(&wsfj_v WSFJ_UN names), WSFJ_CLOSE)                                                  \
    WSFJ_RACED_BODY void f proto                                                                                       \
    {                                                                                                                  \
        WSFJ_OPEN(f)                                                                                                   \
        wsfj_body_##f(&wsfj_v WSFJ_UN names);                                                                          \
        WSFJ_CLOSE                                                                                                     \
    }                                                                                                                  \
    WSFJ_BODY(void, f, proto, params)

#define WSFJ_SPAWNABLE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    WSFJ_RACED(static WSFJ_OPAQUE, params, names, fields, stores, loads, R, f, , f pass, )                             \
    WSFJ_SIGNATURE(__typeof__(R), params, names, f)
#define WSFJ_SPAWNABLE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)              \
    WSFJ_RACED_VOID(static WSFJ_OPAQUE, params, names, fields, stores, loads, f, , f pass, )                           \
    WSFJ_SIGNATURE(struct wsfj_no_result, params, names, f)

/* The child stores its result: a read before the sync is a race. A task's body is called without f(), which saves a frame. By
 * a schedule the child is forked, with its arguments, and the fork calls the same function without a scope. */
#define WSFJ_RACED(shared, params, names, fields, stores, loads, R, f, begin, call, end)                               \
    shared __typeof__(R) *wsfj_raced_##f(struct wsfj_scope *wsfj_o, const struct wsfj_site *wsfj_s,                    \
                                         __typeof__(R) *wsfj_rp WSFJ_UN params);                                       \
    WSFJ_FORKED(__typeof__(R) *wsfj_rp; WSFJ_UN fields, (NULL, NULL, wsfj_c->wsfj_rp WSFJ_UN loads), f)                \
    WSFJ_FORK(__typeof__(R) *wsfj_rp WSFJ_UN params, wsfj_p->wsfj_rp = wsfj_rp; WSFJ_UN stores, f)                     \
    shared __typeof__(R) *wsfj_raced_##f(struct wsfj_scope *wsfj_o, const struct wsfj_site *wsfj_s,                    \
                                         __typeof__(R) *wsfj_rp WSFJ_UN params)                                        \
    {                                                                                                                  \
        struct wsfj_spawned wsfj_c;                                                                                    \
        if (WSFJ_UNLIKELY(wsfj_race_child(&wsfj_c, wsfj_o, wsfj_s, __builtin_frame_address(0)))) {                     \
            wsfj_forks_##f(wsfj_o, wsfj_s, wsfj_rp WSFJ_UN names);                                                     \
            return wsfj_rp;                                                                                            \
        }                                                                                                              \
        begin __typeof__(R) wsfj_r = call;                                                                             \
        end if (wsfj_rp) *wsfj_rp = wsfj_r;                                                                            \
        wsfj_race_child_end(&wsfj_c);                                                                                  \
        return wsfj_rp;                                                                                                \
    }
#define WSFJ_RACED_VOID(shared, params, names, fields, stores, loads, f, begin, call, end)                             \
    shared void *wsfj_raced_##f(struct wsfj_scope *wsfj_o, const struct wsfj_site *wsfj_s WSFJ_UN params);             \
    WSFJ_FORKED(WSFJ_UN fields, (NULL, NULL WSFJ_UN loads), f)                                                         \
    WSFJ_FORK(void *wsfj_none_ WSFJ_UNUSED WSFJ_UN params, WSFJ_UN stores, f)                                          \
    shared void *wsfj_raced_##f(struct wsfj_scope *wsfj_o, const struct wsfj_site *wsfj_s WSFJ_UN params)              \
    {                                                                                                                  \
        struct wsfj_spawned wsfj_c;                                                                                    \
        if (WSFJ_UNLIKELY(wsfj_race_child(&wsfj_c, wsfj_o, wsfj_s, __builtin_frame_address(0)))) {                     \
            wsfj_forks_##f(wsfj_o, wsfj_s, NULL WSFJ_UN names);                                                        \
            return NULL;                                                                                               \
        }                                                                                                              \
        begin call;                                                                                                    \
        end wsfj_race_child_end(&wsfj_c);                                                                              \
        return NULL;                                                                                                   \
    }
#define WSFJ_FORKED(fields, call, f)                                                                                   \
    struct wsfj_forked_##f {                                                                                           \
        fields                                                                                                         \
    } __attribute__((__packed__, __may_alias__));                                                                      \
    static WSFJ_UNUSED void wsfj_fork_##f(void *wsfj_at)                                                               \
    {                                                                                                                  \
        struct wsfj_forked_##f wsfj_v = *(struct wsfj_forked_##f *)wsfj_at, *wsfj_c = &wsfj_v;                         \
        (void)wsfj_raced_##f call;                                                                                     \
        (void)wsfj_c;                                                                                                  \
    }
/* Out of line: the arguments would make the frame of each spawn larger. */
#define WSFJ_FORK(params, stores, f)                                                                                   \
    static __attribute__((__noinline__, __cold__, __unused__)) void wsfj_forks_##f(                                    \
        struct wsfj_scope *wsfj_o, const struct wsfj_site *wsfj_s, params)                                             \
    {                                                                                                                  \
        struct wsfj_forked_##f wsfj_a, *wsfj_p = &wsfj_a;                                                              \
        stores wsfj_race_fork(wsfj_o, wsfj_s, wsfj_fork_##f, wsfj_p, sizeof wsfj_a);                                   \
    }

WSFJ_INLINE struct wsfj_scope wsfj_race_begin_block(void)
{
    struct wsfj_scope wsfj_scope;

    wsfj_race_block(&wsfj_scope);
    return wsfj_scope;
}

#define WSFJ_RUN_0(f)                                                                                                  \
    __extension__({                                                                                                    \
        int wsfj_e = wsfj_race_region(__builtin_frame_address(0));                                                     \
        (void)WSFJ_IF_TASK(f, wsfj_raced_##f)(NULL, NULL);                                                             \
        wsfj_race_region_end(wsfj_e);                                                                                  \
        0;                                                                                                             \
    })
#define WSFJ_RUN_1(f, ...)                                                                                             \
    __extension__({                                                                                                    \
        int wsfj_e = wsfj_race_region(__builtin_frame_address(0));                                                     \
        (void)WSFJ_IF_FITS("ws_run", f, wsfj_raced_##f, __VA_ARGS__)(NULL, NULL, __VA_ARGS__);                         \
        wsfj_race_region_end(wsfj_e);                                                                                  \
        0;                                                                                                             \
    })

#endif
