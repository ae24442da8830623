/* SPDX-License-Identifier: MIT */
/*
 * ws_invoke((f, &x, a), (g, &y, b)) spawns all calls but the last, makes the last one, and waits for these calls alone. It
 * has a frame of its own at the top of the task's, so that children which the task spawned before stay pending:
 *
 *   struct wsfj_frame wsfj_v = wsfj_frame_at(f->deque, f->top, f->twin);
 *   (a spawn for each call; the last one is ws_spawn_if(0, ...), whose arguments go through the free descriptor)
 *   wsfj_sync(&wsfj_v);
 *
 * wsfj.h documents it. spawn.h, profile.h and serial.h have what each kind of program spawns with.
 */
#ifndef WSFJ_INVOKE_H
#define WSFJ_INVOKE_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#ifdef WSFJ_RACE
#include "inline/race_task.h"
#elif defined WSFJ_PROFILE
#include "inline/profile.h"
#elif defined WSFJ_SERIAL
#include "inline/serial.h"
#else
#include "inline/spawn.h"
#endif

/* WSFJ_INVOKE_2 to WSFJ_INVOKE_8, wsfj_one or wsfj_many. The ~ keeps a `...` from being empty. */
/** Makes 2 to 8 calls of tasks at once, and returns when they are done: @ref task_macros. */
#define ws_invoke(...) WSFJ_CAT(WSFJ_INVOKE_, WSFJ_CALLS(__VA_ARGS__))(__VA_ARGS__, ~)
#define WSFJ_CALLS(...)                                                                                                \
    WSFJ_PICK26(__VA_ARGS__, wsfj_many, wsfj_many, wsfj_many, wsfj_many, wsfj_many, wsfj_many, wsfj_many, wsfj_many,   \
                wsfj_many, wsfj_many, wsfj_many, wsfj_many, wsfj_many, wsfj_many, wsfj_many, wsfj_many, wsfj_many, 8,  \
                7, 6, 5, 4, 3, 2, wsfj_one, ~)
#define WSFJ_INVOKE_wsfj_one(...) WSFJ_ASSERT(0, "libwsfj: ws_invoke(...): one call alone is ws_call")
#define WSFJ_INVOKE_wsfj_many(...) WSFJ_ASSERT(0, "libwsfj: ws_invoke(...): at most 8 calls")
#define WSFJ_INVOKE_2(...) WSFJ_INVOKE(WSFJ_LISTS_2(__VA_ARGS__), WSFJ_EACH_2(__VA_ARGS__))
#define WSFJ_INVOKE_3(...) WSFJ_INVOKE(WSFJ_LISTS_3(__VA_ARGS__), WSFJ_EACH_3(__VA_ARGS__))
#define WSFJ_INVOKE_4(...) WSFJ_INVOKE(WSFJ_LISTS_4(__VA_ARGS__), WSFJ_EACH_4(__VA_ARGS__))
#define WSFJ_INVOKE_5(...) WSFJ_INVOKE(WSFJ_LISTS_5(__VA_ARGS__), WSFJ_EACH_5(__VA_ARGS__))
#define WSFJ_INVOKE_6(...) WSFJ_INVOKE(WSFJ_LISTS_6(__VA_ARGS__), WSFJ_EACH_6(__VA_ARGS__))
#define WSFJ_INVOKE_7(...) WSFJ_INVOKE(WSFJ_LISTS_7(__VA_ARGS__), WSFJ_EACH_7(__VA_ARGS__))
#define WSFJ_INVOKE_8(...) WSFJ_INVOKE(WSFJ_LISTS_8(__VA_ARGS__), WSFJ_EACH_8(__VA_ARGS__))
#define WSFJ_INVOKE(lists, ...)                                                                                        \
    do {                                                                                                               \
        WSFJ_INVOKE_CHECK;                                                                                             \
        WSFJ_ASSERT(lists, "libwsfj: ws_invoke(...): each task stands in parentheses with its arguments, as in "       \
                           "ws_invoke((f, &x, 1), (g, &y, 2))");                                                       \
        WSFJ_INVOKE_FRAME;                                                                                             \
        __VA_ARGS__                                                                                                    \
        WSFJ_INVOKE_SYNC;                                                                                              \
    } while (0)

#define WSFJ_EACH_1(a, ...) WSFJ_ONE(0, a)
#define WSFJ_EACH_2(a, ...) WSFJ_ONE(1, a) WSFJ_EACH_1(__VA_ARGS__)
#define WSFJ_EACH_3(a, ...) WSFJ_ONE(1, a) WSFJ_EACH_2(__VA_ARGS__)
#define WSFJ_EACH_4(a, ...) WSFJ_ONE(1, a) WSFJ_EACH_3(__VA_ARGS__)
#define WSFJ_EACH_5(a, ...) WSFJ_ONE(1, a) WSFJ_EACH_4(__VA_ARGS__)
#define WSFJ_EACH_6(a, ...) WSFJ_ONE(1, a) WSFJ_EACH_5(__VA_ARGS__)
#define WSFJ_EACH_7(a, ...) WSFJ_ONE(1, a) WSFJ_EACH_6(__VA_ARGS__)
#define WSFJ_EACH_8(a, ...) WSFJ_ONE(1, a) WSFJ_EACH_7(__VA_ARGS__)
#define WSFJ_LISTS_1(a, ...) WSFJ_IS_LIST(a)
#define WSFJ_LISTS_2(a, ...) WSFJ_IS_LIST(a) && WSFJ_LISTS_1(__VA_ARGS__)
#define WSFJ_LISTS_3(a, ...) WSFJ_IS_LIST(a) && WSFJ_LISTS_2(__VA_ARGS__)
#define WSFJ_LISTS_4(a, ...) WSFJ_IS_LIST(a) && WSFJ_LISTS_3(__VA_ARGS__)
#define WSFJ_LISTS_5(a, ...) WSFJ_IS_LIST(a) && WSFJ_LISTS_4(__VA_ARGS__)
#define WSFJ_LISTS_6(a, ...) WSFJ_IS_LIST(a) && WSFJ_LISTS_5(__VA_ARGS__)
#define WSFJ_LISTS_7(a, ...) WSFJ_IS_LIST(a) && WSFJ_LISTS_6(__VA_ARGS__)
#define WSFJ_LISTS_8(a, ...) WSFJ_IS_LIST(a) && WSFJ_LISTS_7(__VA_ARGS__)

/* 1 for what stands in parentheses, else 0. */
#define WSFJ_IS_LIST(a) WSFJ_SECOND(WSFJ_LIST_PROBE a, 0, ~)
#define WSFJ_LIST_PROBE(...) ~, 1

/* One call, (f, arguments...): spawned, or, for 0, made at once. What is no list is left out: one message is enough. */
#define WSFJ_ONE(spawned, a) WSFJ_CAT(WSFJ_ONE_, WSFJ_IS_LIST(a))(spawned, a)
#define WSFJ_ONE_0(spawned, a)
#define WSFJ_ONE_1(spawned, a) WSFJ_ONE_OF(spawned, WSFJ_UN a)
#define WSFJ_ONE_OF(spawned, ...) WSFJ_MORE(WSFJ_INVOKED_0, WSFJ_INVOKED_1, __VA_ARGS__)(spawned, __VA_ARGS__)

/* A frame inside another one hides it on purpose. */
#if !defined WSFJ_SERIAL
#define WSFJ_INVOKE_CHECK WSFJ_CHECK_FRAME("ws_invoke(...)")
#define WSFJ_INVOKE_FRAME                                                                                              \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") WSFJ_FRAME_TYPE wsfj_v =             \
        WSFJ_INVOKE_BEGIN;                                                                                             \
    WSFJ_FRAME_FUNCTION;                                                                                               \
    WSFJ_FRAME_TYPE *const wsfj_f = &wsfj_v;                                                                           \
    _Pragma("GCC diagnostic pop") WSFJ_NOTHING
#endif

#if defined WSFJ_RACE || defined WSFJ_PROFILE
#define WSFJ_INVOKE_BEGIN WSFJ_BLOCK_OPEN()
#define WSFJ_INVOKE_SYNC WSFJ_BODY_SYNC(WSFJ_HERE)
#define WSFJ_INVOKED_0(spawned, f)                                                                                     \
    {                                                                                                                  \
        WSFJ_SITE(f);                                                                                                  \
        (void)WSFJ_IF_TASK(f, WSFJ_CHILD(f))(spawned ? WSFJ_HERE : NULL, &wsfj_here);                                  \
    }
#define WSFJ_INVOKED_1(spawned, f, ...)                                                                                \
    {                                                                                                                  \
        WSFJ_SITE(f);                                                                                                  \
        (void)WSFJ_IF_FITS("ws_invoke", f, WSFJ_CHILD(f), __VA_ARGS__)(spawned ? WSFJ_HERE : NULL, &wsfj_here,         \
                                                                       __VA_ARGS__);                                   \
    }
#elif defined WSFJ_SERIAL
#define WSFJ_INVOKE_CHECK WSFJ_NOTHING
#define WSFJ_INVOKE_FRAME WSFJ_NOTHING
#define WSFJ_INVOKE_SYNC ((void)0)
#define WSFJ_INVOKED_0(spawned, f)                                                                                     \
    {                                                                                                                  \
        if (spawned)                                                                                                   \
            WSFJ_COUNT_ONE();                                                                                          \
        (void)WSFJ_IF_TASK(f, wsfj_put_##f)();                                                                         \
    }
#define WSFJ_INVOKED_1(spawned, f, ...)                                                                                \
    {                                                                                                                  \
        if (spawned)                                                                                                   \
            WSFJ_COUNT_ONE();                                                                                          \
        (void)WSFJ_IF_FITS("ws_invoke", f, wsfj_put_##f, __VA_ARGS__)(__VA_ARGS__);                                    \
    }
#else
#define WSFJ_INVOKE_BEGIN wsfj_frame_at(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, WSFJ_HERE->wsfj_twin)
#define WSFJ_INVOKE_SYNC wsfj_sync(WSFJ_HERE)
#define WSFJ_INVOKED_0(spawned, f) WSFJ_INVOKED_0_##spawned(f)
#define WSFJ_INVOKED_1(spawned, f, ...) WSFJ_INVOKED_1_##spawned(f, __VA_ARGS__)
#define WSFJ_INVOKED_0_1(f)                                                                                            \
    {                                                                                                                  \
        struct wsfj_call_how wsfj_how;                                                                                 \
        void *wsfj_rp = WSFJ_IF_TASK(f, wsfj_spawn_of_##f)(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, &wsfj_how);     \
        wsfj_pushed(WSFJ_HERE, wsfj_how, wsfj_rp);                                                                     \
    }
#define WSFJ_INVOKED_1_1(f, ...)                                                                                       \
    {                                                                                                                  \
        struct wsfj_call_how wsfj_how;                                                                                 \
        void *wsfj_rp = WSFJ_IF_FITS("ws_invoke", f, wsfj_spawn_of_##f,                                                \
                                     __VA_ARGS__)(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, &wsfj_how, __VA_ARGS__); \
        wsfj_pushed(WSFJ_HERE, wsfj_how, wsfj_rp);                                                                     \
    }
#ifdef __cplusplus
/* The last one's arguments go through the free descriptor at the top, as with ws_spawn_if. */
#define WSFJ_INVOKED_0_0(f)                                                                                            \
    {                                                                                                                  \
        struct wsfj_call_how wsfj_how;                                                                                 \
        void *wsfj_rp = WSFJ_IF_TASK(f, wsfj_spawn_of_##f)(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, &wsfj_how);     \
        wsfj_pushed_if(0, WSFJ_HERE, wsfj_how, wsfj_rp);                                                               \
    }
#define WSFJ_INVOKED_1_0(f, ...)                                                                                       \
    {                                                                                                                  \
        struct wsfj_call_how wsfj_how;                                                                                 \
        void *wsfj_rp = WSFJ_IF_FITS("ws_invoke", f, wsfj_spawn_of_##f,                                                \
                                     __VA_ARGS__)(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, &wsfj_how, __VA_ARGS__); \
        wsfj_pushed_if(0, WSFJ_HERE, wsfj_how, wsfj_rp);                                                               \
    }
#else
/* A plain call, with the result pointer in front if the task has a result. Only one of the two forms is compiled; in the
 * other, a function that takes anything stands for the task. */
#define WSFJ_INVOKED_0_0(f)                                                                                            \
    WSFJ_IF_TASK(f, __builtin_choose_expr(WSFJ_IS_VOID(f), WSFJ_NEXT_TWIN(WSFJ_HERE, f), wsfj_spawn_of_##f))           \
    (WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top);
#define WSFJ_INVOKED_1_0(f, ...)                                                                                       \
    (void)__extension__ _Generic(                                                                                      \
        (WSFJ_RESULT_POINTER(f))0, default                                                                             \
        : __extension__({                                                                                              \
            enum { wsfj_void = WSFJ_IS_VOID(f), wsfj_unfits = WSFJ_UNFIT(f, (WSFJ_FIRST(__VA_ARGS__, ~))) };           \
            WSFJ_ASSERT(!wsfj_unfits, WSFJ_UNFIT_SAYS("ws_invoke", f));                                                \
            __builtin_choose_expr(                                                                                     \
                wsfj_void || wsfj_unfits,                                                                              \
                __builtin_choose_expr(wsfj_void, WSFJ_NEXT_TWIN(WSFJ_HERE, f),                                         \
                                      wsfj_unfit)(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, __VA_ARGS__),            \
                __extension__({                                                                                        \
                    __typeof__(__builtin_choose_expr(wsfj_void || wsfj_unfits, (void **)0,                             \
                                                     (WSFJ_RESULT_POINTER(f))0)) wsfj_rp =                             \
                        __builtin_choose_expr(wsfj_void || wsfj_unfits, NULL, (WSFJ_FIRST(__VA_ARGS__, ~)));           \
                    __typeof__(*wsfj_rp) wsfj_r =                                                                      \
                        __builtin_choose_expr(wsfj_void || wsfj_unfits, wsfj_unfit, WSFJ_NEXT_TWIN(WSFJ_HERE, f))(     \
                            WSFJ_HERE->wsfj_deque,                                                                     \
                            WSFJ_HERE->wsfj_top WSFJ_MORE(WSFJ_REST_0, WSFJ_REST_1, __VA_ARGS__)(__VA_ARGS__));        \
                    if (wsfj_rp)                                                                                       \
                        *wsfj_rp = wsfj_r;                                                                             \
                    (void)0;                                                                                           \
                }));                                                                                                   \
            0;                                                                                                         \
        }));
#define WSFJ_REST_0(a)
#define WSFJ_REST_1(a, ...) , __VA_ARGS__
#endif
#endif

#endif
