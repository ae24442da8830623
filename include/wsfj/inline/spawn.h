/* SPDX-License-Identifier: MIT */
/*
 * For the body of a task: ws_spawn, ws_call, ws_sync. For other code: ws_frame, ws_run.
 *
 * ws_spawn(fib, &x, n - 1) expands to
 *
 *   struct wsfj_call_how t;                                            how the frame will run the child
 *   void *rp = wsfj_spawn_of_fib(f->deque, f->top, &t, &x, n - 1);     the child is in the descriptor at the top
 *   wsfj_pushed(f, t, rp);                                             ... and now in the deque
 *
 * where f is the struct wsfj_frame that the task's body got or ws_frame() has declared. task.h makes the functions
 * named after the task; fastpath.h has the functions that all tasks share.
 */
#ifndef WSFJ_SPAWN_H
#define WSFJ_SPAWN_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "check.h"
#include "fastpath.h"
#include "forms.h"

/** A frame without children. Its members for children stay undefined, so that with one kind of children the compiler may
 *  take them for constants. */
WSFJ_INLINE struct wsfj_frame wsfj_frame_at(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,
                                            int wsfj_twin)
{
    struct wsfj_frame wsfj_v;

    wsfj_v.wsfj_deque = wsfj_deque;
    wsfj_v.wsfj_base = wsfj_v.wsfj_top = wsfj_base;
    wsfj_v.wsfj_twin = wsfj_twin;
    wsfj_v.wsfj_n = 0;
    wsfj_v.wsfj_single = 0;
    wsfj_v.wsfj_rp = NULL;
    return wsfj_v;
}

/* With WSFJ_DEBUG, a task that is left with pending children says so. It has a stack frame of its own, which ends at
 * WSFJ_FRAME_END, so that an argument that points into it can be told. NULL: where it ends is not known. */
#ifdef WSFJ_DEBUG
#define WSFJ_LEAVE(f, name, end)                                                                                       \
    do {                                                                                                               \
        if ((f)->wsfj_top != (f)->wsfj_base) {                                                                         \
            wsfj_leave_named((f)->wsfj_deque, (f)->wsfj_base, (size_t)((f)->wsfj_top - (f)->wsfj_base), name, end);    \
            __asm__ volatile(""); /* not a tail call, before which the frame would be gone */                          \
        }                                                                                                              \
    } while (0)
#define WSFJ_TASK_NAME(f) #f " (" __FILE__ ":" WSFJ_TEXT(__LINE__) ")"
#define WSFJ_RUN __attribute__((__noinline__, __used__))
#ifdef __x86_64__
#define WSFJ_FRAME_END __builtin_frame_address(0)
#else
#define WSFJ_FRAME_END NULL
#endif
#else
#define WSFJ_LEAVE(f, name, end) wsfj_leave(f)
#define WSFJ_TASK_NAME(f) NULL
#define WSFJ_RUN inline WSFJ_UNUSED
#endif

WSFJ_INLINE void wsfj_leave(struct wsfj_frame *wsfj_f)
{
    if (wsfj_f->wsfj_top != wsfj_f->wsfj_base)
        wsfj_leave_slow(wsfj_f->wsfj_deque, wsfj_f->wsfj_base, (size_t)(wsfj_f->wsfj_top - wsfj_f->wsfj_base));
}

/* ws_frame() declares one: a frame that syncs when its block is left. `outside`: the deque to give back then, or
 * NULL. */
struct wsfj_block {
    struct wsfj_frame wsfj_frame;
    struct wsfj_deque *wsfj_outside;
};

WSFJ_INLINE void wsfj_block_end(struct wsfj_block *wsfj_block)
{
    WSFJ_LEAVE(&wsfj_block->wsfj_frame, "a block with ws_frame()", NULL);
    if (WSFJ_UNLIKELY(wsfj_block->wsfj_outside))
        wsfj_serial_end(wsfj_block->wsfj_outside);
}

WSFJ_INLINE struct wsfj_block wsfj_block_here(void)
{
    struct wsfj_deque *wsfj_deque = wsfj_self();
    struct wsfj_block wsfj_block;

    wsfj_block.wsfj_outside = NULL;
    if (WSFJ_UNLIKELY(!wsfj_deque))
        wsfj_block.wsfj_outside = wsfj_deque = wsfj_serial_begin();
    wsfj_block.wsfj_frame = wsfj_frame_at(wsfj_deque, wsfj_tail(wsfj_deque), 0);
    return wsfj_block;
}

/** Lets a block of any function spawn; leaving the block syncs. A frame inside another one hides it on purpose. */
#define ws_frame()                                                                                                     \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") struct wsfj_block wsfj_v             \
        __attribute__((__cleanup__(wsfj_block_end))) = wsfj_block_here();                                              \
    WSFJ_FRAME_FUNCTION;                                                                                               \
    struct wsfj_frame *const wsfj_f = &wsfj_v.wsfj_frame;                                                              \
    _Pragma("GCC diagnostic pop") WSFJ_NOTHING

/* Outside of tasks, wsfj_f is this function, which does not exist: a check of its type gives the message. */
void wsfj_f(void);
#define WSFJ_HERE ((struct wsfj_frame *)wsfj_f)

/* What forms.h makes of ws_spawn, ws_call and ws_run. The value of a spawn is of a type that nothing else has. */
#define WSFJ_SPAWN_0(f)                                                                                                \
    __extension__({                                                                                                    \
        WSFJ_CHECK_FRAME("ws_spawn(" #f ", ...)");                                                                     \
        struct wsfj_call_how wsfj_how;                                                                                 \
        void *wsfj_rp = WSFJ_IF_TASK(f, wsfj_spawn_of_##f)(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, &wsfj_how);     \
        wsfj_pushed(WSFJ_HERE, wsfj_how, wsfj_rp);                                                                     \
        wsfj_no_value();                                                                                               \
    })
#define WSFJ_SPAWN_1(f, ...)                                                                                           \
    __extension__({                                                                                                    \
        WSFJ_CHECK_FRAME("ws_spawn(" #f ", ...)");                                                                     \
        struct wsfj_call_how wsfj_how;                                                                                 \
        void *wsfj_rp = WSFJ_IF_FITS("ws_spawn", f, wsfj_spawn_of_##f,                                                 \
                                     __VA_ARGS__)(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, &wsfj_how, __VA_ARGS__); \
        wsfj_pushed(WSFJ_HERE, wsfj_how, wsfj_rp);                                                                     \
        wsfj_no_value();                                                                                               \
    })

/* A call whose arguments are already in the descriptor at the top. */
#define WSFJ_SPAWN_IF_0(condition, f)                                                                                  \
    __extension__({                                                                                                    \
        WSFJ_CHECK_FRAME("ws_spawn_if(..., " #f ", ...)");                                                             \
        struct wsfj_call_how wsfj_how;                                                                                 \
        const int wsfj_i = (condition) ? 1 : 0;                                                                        \
        void *wsfj_rp = WSFJ_IF_TASK(f, wsfj_spawn_of_##f)(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, &wsfj_how);     \
        wsfj_pushed_if(wsfj_i, WSFJ_HERE, wsfj_how, wsfj_rp);                                                          \
        wsfj_no_value();                                                                                               \
    })
#define WSFJ_SPAWN_IF_1(condition, f, ...)                                                                             \
    __extension__({                                                                                                    \
        WSFJ_CHECK_FRAME("ws_spawn_if(..., " #f ", ...)");                                                             \
        struct wsfj_call_how wsfj_how;                                                                                 \
        const int wsfj_i = (condition) ? 1 : 0;                                                                        \
        void *wsfj_rp = WSFJ_IF_FITS("ws_spawn_if", f, wsfj_spawn_of_##f,                                              \
                                     __VA_ARGS__)(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, &wsfj_how, __VA_ARGS__); \
        wsfj_pushed_if(wsfj_i, WSFJ_HERE, wsfj_how, wsfj_rp);                                                          \
        wsfj_no_value();                                                                                               \
    })

#define WSFJ_CALL_0(f)                                                                                                 \
    (WSFJ_CHECKED("ws_call(" #f ")"),                                                                                  \
     WSFJ_IF_TASK(f, WSFJ_NEXT_TWIN(WSFJ_HERE, f))(WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top))
#define WSFJ_CALL_1(f, ...)                                                                                            \
    (WSFJ_CHECKED("ws_call(" #f ", ...)"), WSFJ_IF_CALLED(f, WSFJ_NEXT_TWIN(WSFJ_HERE, f), __VA_ARGS__)(               \
                                               WSFJ_HERE->wsfj_deque, WSFJ_HERE->wsfj_top, __VA_ARGS__))

/** Waits for all children spawned in this task (or block). The task may continue on another thread. */
#define ws_sync()                                                                                                      \
    __extension__({                                                                                                    \
        WSFJ_CHECK_FRAME("ws_sync()");                                                                                 \
        wsfj_sync(WSFJ_HERE);                                                                                          \
    })

#define WSFJ_RUN_0(f)                                                                                                  \
    __extension__({                                                                                                    \
        int wsfj_e;                                                                                                    \
        struct wsfj_root wsfj_w;                                                                                       \
        struct wsfj_call_how wsfj_how;                                                                                 \
        wsfj_root_open(&wsfj_w);                                                                                       \
        wsfj_e = wsfj_root_run(&wsfj_w,                                                                                \
                               WSFJ_IF_TASK(f, wsfj_spawn_of_##f)(&wsfj_w.wsfj_deque, &wsfj_w.wsfj_desc, &wsfj_how));  \
        wsfj_e;                                                                                                        \
    })
#define WSFJ_RUN_1(f, ...)                                                                                             \
    __extension__({                                                                                                    \
        int wsfj_e;                                                                                                    \
        struct wsfj_root wsfj_w;                                                                                       \
        struct wsfj_call_how wsfj_how;                                                                                 \
        wsfj_root_open(&wsfj_w);                                                                                       \
        wsfj_e = wsfj_root_run(&wsfj_w, WSFJ_IF_FITS("ws_run", f, wsfj_spawn_of_##f, __VA_ARGS__)(                     \
                                            &wsfj_w.wsfj_deque, &wsfj_w.wsfj_desc, &wsfj_how, __VA_ARGS__));           \
        wsfj_e;                                                                                                        \
    })

#endif
