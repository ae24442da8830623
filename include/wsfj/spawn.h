/* SPDX-License-Identifier: MIT */
/*
 * For the body of a task: ws_spawn, ws_call, ws_sync. For other code: ws_frame, ws_run.
 *
 * ws_spawn(fib, &x, n - 1) expands to
 *
 *   struct wsfj_call_how t;                                            how the frame will run the child
 *   void *rp = wsfj_push_fib(f->deque, f->top, &t, &x, n - 1);     the child is in the descriptor at the top
 *   wsfj_pushed(f, t, rp);                                        ... and now in the deque
 *
 * where f is the struct wsfj_frame that the task's body got or ws_frame() has declared. task.h makes the functions
 * named after the task; fastpath.h has the functions that all tasks share.
 */
#ifndef WSFJ_SPAWN_H
#define WSFJ_SPAWN_H

#include "inline/args.h"
#include "inline/fastpath.h"

/* `exec` is undefined while no child is pending, so that with one kind of children the compiler may take it for a
 * constant. */
#define WSFJ_FRAME(v, h, b, t)                                                                                         \
    struct wsfj_frame v;                                                                                               \
    v.wsfj_deque = (h);                                                                                                \
    v.wsfj_base = v.wsfj_top = (b);                                                                                    \
    v.wsfj_twin = (t);                                                                                                 \
    v.wsfj_n = 0;                                                                                                      \
    v.wsfj_single = 0;                                                                                                 \
    v.wsfj_rp = NULL

#ifdef WSFJ_DEBUG
#define WSFJ_LEAVE(f, name) wsfj_leave(f, name)
#else
#define WSFJ_LEAVE(f, name) wsfj_leave(f, NULL)
#endif

WSFJ_INLINE void wsfj_leave(struct wsfj_frame *wsfj_f, const char *wsfj_task)
{
    if (wsfj_f->wsfj_top != wsfj_f->wsfj_base) {
        if (wsfj_task)
            wsfj_leave_named(wsfj_f->wsfj_deque, wsfj_f->wsfj_base, (size_t)(wsfj_f->wsfj_top - wsfj_f->wsfj_base),
                             wsfj_task);
        else
            wsfj_leave_slow(wsfj_f->wsfj_deque, wsfj_f->wsfj_base, (size_t)(wsfj_f->wsfj_top - wsfj_f->wsfj_base));
    }
}

/* ws_frame() declares one: a frame that syncs when its block is left. `outside`: the deque to give back then, or
 * NULL. */
struct wsfj_block {
    struct wsfj_frame wsfj_frame;
    struct wsfj_deque *wsfj_outside;
};

WSFJ_INLINE void wsfj_block_end(struct wsfj_block *wsfj_block)
{
    WSFJ_LEAVE(&wsfj_block->wsfj_frame, "a block with ws_frame()");
    if (WSFJ_UNLIKELY(wsfj_block->wsfj_outside))
        wsfj_serial_leave(wsfj_block->wsfj_outside);
}

WSFJ_INLINE struct wsfj_block wsfj_block_here(void)
{
    struct wsfj_deque *wsfj_deque = wsfj_self();
    struct wsfj_block wsfj_block;

    wsfj_block.wsfj_outside = NULL;
    if (WSFJ_UNLIKELY(!wsfj_deque))
        wsfj_block.wsfj_outside = wsfj_deque = wsfj_serial_enter();
    wsfj_block.wsfj_frame.wsfj_deque = wsfj_deque;
    wsfj_block.wsfj_frame.wsfj_base = wsfj_block.wsfj_frame.wsfj_top = wsfj_tail(wsfj_deque);
    wsfj_block.wsfj_frame.wsfj_single = 0;
    wsfj_block.wsfj_frame.wsfj_twin = 0;
    wsfj_block.wsfj_frame.wsfj_n = 0;
    wsfj_block.wsfj_frame.wsfj_rp = NULL;
    return wsfj_block;
}

/* A frame inside another one hides it on purpose. */
#define ws_frame()                                                                                                     \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") struct wsfj_block wsfj_v             \
        __attribute__((__cleanup__(wsfj_block_end))) = wsfj_block_here();                                              \
    struct wsfj_frame *const wsfj_f = &wsfj_v.wsfj_frame;                                                              \
    _Pragma("GCC diagnostic pop") WSFJ_NOTHING

/* What args.h makes of ws_spawn, ws_call and ws_run. */
#define WSFJ_SPAWN_0(f)                                                                                                \
    do {                                                                                                               \
        struct wsfj_call_how wsfj_t;                                                                                   \
        void *wsfj_rp = wsfj_push_##f(wsfj_f->wsfj_deque, wsfj_f->wsfj_top, &wsfj_t);                                  \
        wsfj_pushed(wsfj_f, wsfj_t, wsfj_rp);                                                                          \
    } while (0)
#define WSFJ_SPAWN_1(f, ...)                                                                                           \
    do {                                                                                                               \
        struct wsfj_call_how wsfj_t;                                                                                   \
        WSFJ_CHECK_RESULT(f, __VA_ARGS__);                                                                             \
        void *wsfj_rp = wsfj_push_##f(wsfj_f->wsfj_deque, wsfj_f->wsfj_top, &wsfj_t, __VA_ARGS__);                     \
        wsfj_pushed(wsfj_f, wsfj_t, wsfj_rp);                                                                          \
    } while (0)

#define WSFJ_PUSH_TYPE_1(f, ...) wsfj_push_##f(NULL, NULL, NULL, __VA_ARGS__)

#define WSFJ_CALL_0(f) WSFJ_OTHER(wsfj_f, f)(wsfj_f->wsfj_deque, wsfj_f->wsfj_top)
#define WSFJ_CALL_1(f, ...) WSFJ_OTHER(wsfj_f, f)(wsfj_f->wsfj_deque, wsfj_f->wsfj_top, __VA_ARGS__)

#define ws_sync() wsfj_sync(wsfj_f)

#define WSFJ_RUN_0(f)                                                                                                  \
    __extension__({                                                                                                    \
        struct wsfj_root wsfj_w;                                                                                       \
        struct wsfj_call_how wsfj_t;                                                                                   \
        wsfj_root_open(&wsfj_w);                                                                                       \
        wsfj_root_run(&wsfj_w, wsfj_push_##f(&wsfj_w.wsfj_deque, &wsfj_w.wsfj_desc, &wsfj_t));                         \
    })
#define WSFJ_RUN_1(f, ...)                                                                                             \
    __extension__({                                                                                                    \
        struct wsfj_root wsfj_w;                                                                                       \
        struct wsfj_call_how wsfj_t;                                                                                   \
        wsfj_root_open(&wsfj_w);                                                                                       \
        wsfj_root_run(&wsfj_w, wsfj_push_##f(&wsfj_w.wsfj_deque, &wsfj_w.wsfj_desc, &wsfj_t, __VA_ARGS__));            \
    })

#endif
