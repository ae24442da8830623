/* SPDX-License-Identifier: MIT */
/*
 * The task macros on oneTBB's task_group, for the benchmark kernels only, compiled as C++17.
 *
 * WS_TASK(long, fib, long, n) { ... } expands to
 *
 *   long fib(long n)                             gives the body a frame and calls it; ws_call is a plain call of it
 *   long *wsfj_put_fib(frame, long *rp, long n)  a spawn: a lambda with copies of what it is given runs in the group
 *   long *wsfj_start_fib(long *rp, long n)       ws_run: calls it in the arena
 *   static inline long wsfj_body_fib(wsfj_frame &wsfj_f, long n) { ... }     what the user wrote
 *
 * The group is made at the first spawn, so that a leaf pays for none. ws_sync waits for the group.
 */
#ifndef WSFJ_H
#define WSFJ_H

#include <wsfj/inline/forms.h>

#include <stddef.h>
#include <stdint.h>

#include <optional>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

/* Has the peer's number of threads; defined in tbb/start.cc. */
extern tbb::task_arena wsfj_arena;

class wsfj_frame
{
    std::optional<tbb::task_group> group;

  public:
    template <typename Task> void spawn(const Task &task)
    {
        if (!group)
            group.emplace();
        group->run(task);
    }
    void sync()
    {
        if (group)
            group->wait();
    }
    ~wsfj_frame()
    {
        sync();
    }
};

#define WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                     \
    R f proto, *wsfj_put_##f(wsfj_frame &, R *WSFJ_UN params), *wsfj_start_##f(R *WSFJ_UN params)
#define WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                \
    void f proto, *wsfj_put_##f(wsfj_frame &WSFJ_UN params), *wsfj_start_##f proto

#define WSFJ_TASK_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                        \
    WSFJ_DECLARE_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                                  \
    static inline R wsfj_body_##f(wsfj_frame &wsfj_f WSFJ_UN params);                                                  \
    WSFJ_SHARED WSFJ_PUT(params, pass, R, f)                                                                           \
    WSFJ_SHARED WSFJ_START(params, pass, R, f)                                                                         \
    WSFJ_UNUSED R f proto                                                                                              \
    {                                                                                                                  \
        wsfj_frame wsfj_v;                                                                                             \
        return wsfj_body_##f(wsfj_v WSFJ_UN names);                                                                    \
    }                                                                                                                  \
    static inline R wsfj_body_##f(wsfj_frame &wsfj_f WSFJ_UNUSED WSFJ_UN params)

#define WSFJ_TASK_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    WSFJ_DECLARE_VOID_2(proto, params, names, pass, fields, stores, loads, ~, ~, R, f, ~);                             \
    static inline void wsfj_body_##f(wsfj_frame &wsfj_f WSFJ_UN params);                                               \
    WSFJ_SHARED WSFJ_PUT_VOID(params, pass, f)                                                                         \
    WSFJ_SHARED WSFJ_START_VOID(proto, pass, f)                                                                        \
    WSFJ_UNUSED void f proto                                                                                           \
    {                                                                                                                  \
        wsfj_frame wsfj_v;                                                                                             \
        wsfj_body_##f(wsfj_v WSFJ_UN names);                                                                           \
    }                                                                                                                  \
    static inline void wsfj_body_##f(wsfj_frame &wsfj_f WSFJ_UNUSED WSFJ_UN params)

#define WSFJ_SPAWNABLE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    static inline WSFJ_UNUSED WSFJ_PUT(params, pass, R, f) static inline WSFJ_UNUSED WSFJ_START(params, pass, R, f)    \
    struct wsfj_needs_semicolon

#define WSFJ_SPAWNABLE_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)              \
    static inline WSFJ_UNUSED WSFJ_PUT_VOID(params, pass, f) static inline WSFJ_UNUSED WSFJ_START_VOID(proto, pass, f) \
    struct wsfj_needs_semicolon

#define WSFJ_PUT(params, pass, R, f)                                                                                   \
    R *wsfj_put_##f(wsfj_frame &wsfj_f, R *wsfj_rp WSFJ_UN params)                                                     \
    {                                                                                                                  \
        wsfj_f.spawn([=] { WSFJ_STORE_RESULT(pass, R, f) });                                                           \
        return wsfj_rp;                                                                                                \
    }
#define WSFJ_PUT_VOID(params, pass, f)                                                                                 \
    void *wsfj_put_##f(wsfj_frame &wsfj_f WSFJ_UN params)                                                              \
    {                                                                                                                  \
        wsfj_f.spawn([=] { f pass; });                                                                                 \
        return NULL;                                                                                                   \
    }
#define WSFJ_START(params, pass, R, f)                                                                                 \
    R *wsfj_start_##f(R *wsfj_rp WSFJ_UN params)                                                                       \
    {                                                                                                                  \
        wsfj_arena.execute([&] { WSFJ_STORE_RESULT(pass, R, f) });                                                     \
        return wsfj_rp;                                                                                                \
    }
#define WSFJ_START_VOID(proto, pass, f)                                                                                \
    void *wsfj_start_##f proto                                                                                         \
    {                                                                                                                  \
        wsfj_arena.execute([&] { f pass; });                                                                           \
        return NULL;                                                                                                   \
    }
#define WSFJ_STORE_RESULT(pass, R, f)                                                                                  \
    R wsfj_r = f pass;                                                                                                 \
    if (wsfj_rp)                                                                                                       \
        *wsfj_rp = wsfj_r;

#define ws_frame() wsfj_frame wsfj_f

#define WSFJ_SPAWN_0(f) ((void)wsfj_put_##f(wsfj_f))
#define WSFJ_SPAWN_1(f, ...) ((void)wsfj_put_##f(wsfj_f, __VA_ARGS__))

#define WSFJ_CALL_0(f) f()
#define WSFJ_CALL_1(f, ...) f(__VA_ARGS__)

#define ws_sync() wsfj_f.sync()

#define WSFJ_RUN_0(f) ((void)wsfj_start_##f(), 0)
#define WSFJ_RUN_1(f, ...) ((void)wsfj_start_##f(__VA_ARGS__), 0)

#include "loops.h"

#endif
