/* SPDX-License-Identifier: MIT */
/*
 * Makes a loop of the parallel program: a task with the leading parameters lo and hi. For WS_LOOP(saxpy, long, i, ...):
 *
 *   void saxpy(long lo, long hi, ...)        the task, with all that task.h makes of one
 *   void wsfj_range_saxpy(...)               runs the iterations from lo to hi one after the other
 *   void wsfj_drive_saxpy(...)               the lazy driver (loop_drive.h)
 *   struct wsfj_loop_site wsfj_site_saxpy    what the loop remembers
 *   void wsfj_body_1_saxpy(frame, i, ...)    the user's code, in wsfj_range_saxpy only
 *
 * Each iteration has a frame of its own: what it spawns, it also syncs.
 */
#ifndef WSFJ_LOOP_TASK_H
#define WSFJ_LOOP_TASK_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop_drive.h"

#define WSFJ_EACH_FRAME struct wsfj_frame *wsfj_f WSFJ_UNUSED,
#define WSFJ_EACH_PASS &wsfj_v,
#define WSFJ_EACH_CALL(f, args)                                                                                        \
    do {                                                                                                               \
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque, wsfj_base, 0);                                            \
        wsfj_body_1_##f args;                                                                                          \
        WSFJ_LEAVE(&wsfj_v, WSFJ_TASK_NAME(f), WSFJ_FRAME_END);                                                        \
    } while (0)

/* Where the code of a loop runs: parameters and arguments of the functions that share a body. */
#define WSFJ_LOOP_WHERE struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,
#define WSFJ_LOOP_HERE wsfj_deque, wsfj_base,
#define WSFJ_EACH_VALUE(R, f, names)                                                                                   \
    struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque, wsfj_base, 0);                                                \
    __typeof__(R) wsfj_r = wsfj_body_1_##f(&wsfj_v, wsfj_lo WSFJ_UN names);                                            \
    WSFJ_LEAVE(&wsfj_v, WSFJ_TASK_NAME(f), WSFJ_FRAME_END);                                                            \
    return wsfj_r
#define WSFJ_LOOP_PARAMS(I) struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base, I wsfj_lo, I wsfj_hi
/* Hides the name that every file has, on purpose: ws_spawn() compares it. */
#define WSFJ_LOOP_FRAME_FUNCTION                                                                                       \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") WSFJ_FRAME_FUNCTION;                 \
    _Pragma("GCC diagnostic pop") WSFJ_NOTHING
#define WSFJ_LOOP_FUNCTION static __attribute__((__noinline__, __unused__))

/* A run that is predicted to be short is not timed exactly, because that would take longer than many a run. But if another
 * thread waits for tasks, a wrong prediction costs something: then a coarse clock tells the worst. */
#define WSFJ_LOOP_SHORT_OR_DRIVE(f, n, grain, range, drive)                                                            \
    if (WSFJ_UNLIKELY(!wsfj_loop_short(&wsfj_site_##f, n, grain))) {                                                   \
        drive;                                                                                                         \
    } else if (n > 1 && wsfj_asked(wsfj_deque)) {                                                                      \
        const uint64_t wsfj_then = wsfj_loop_clock();                                                                  \
        range;                                                                                                         \
        if (WSFJ_UNLIKELY(wsfj_loop_late(wsfj_then)))                                                                  \
            wsfj_loop_forget(&wsfj_site_##f);                                                                          \
    } else {                                                                                                           \
        range;                                                                                                         \
    }

/* A loop whose iterations run in index order within a piece: `run` is the code of the range. */
#define WSFJ_LOOP_TASKS(grain, list, names, params, f, I, run)                                                         \
    WSFJ_LOOP_SITE(f, I, 0);                                                                                           \
    WSFJ_LOOP_FUNCTION void wsfj_range_##f(WSFJ_LOOP_PARAMS(I) WSFJ_UN params){                                        \
        run} WSFJ_LOOP_FUNCTION void wsfj_drive_##f(WSFJ_LOOP_PARAMS(I) WSFJ_UN params);                               \
    WSFJ_LOOP_TASK_VOID(f, I, wsfj_lo, I, wsfj_hi WSFJ_UN list)                                                        \
    {                                                                                                                  \
        struct wsfj_deque *const wsfj_deque = wsfj_f->wsfj_deque;                                                      \
        struct wsfj_descriptor *const wsfj_base = wsfj_f->wsfj_base;                                                   \
        const uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                     \
        WSFJ_LOOP_SHORT_OR_DRIVE(f, wsfj_n, grain,                                                                     \
                                 wsfj_range_##f(wsfj_deque, wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names),                \
                                 wsfj_drive_##f(wsfj_deque, wsfj_base, wsfj_lo, wsfj_hi WSFJ_UN names));               \
    }                                                                                                                  \
    WSFJ_LOOP_FUNCTION void wsfj_drive_##f(WSFJ_LOOP_PARAMS(I) WSFJ_UN params)                                         \
    {                                                                                                                  \
        WSFJ_LOOP_FRAME_FUNCTION;                                                                                      \
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque, wsfj_base, 0), *const wsfj_f = &wsfj_v;                   \
        struct wsfj_loop wsfj_w;                                                                                       \
        uint64_t wsfj_n = WSFJ_LOOP_COUNT(wsfj_lo, wsfj_hi);                                                           \
        wsfj_loop_begin(&wsfj_w, &wsfj_site_##f, wsfj_deque, wsfj_n, grain);                                           \
        do {                                                                                                           \
            while (wsfj_w.wsfj_push) {                                                                                 \
                struct wsfj_descriptor *const wsfj_was = wsfj_f->wsfj_top;                                             \
                wsfj_n = (uint64_t)wsfj_lo + wsfj_loop_child(&wsfj_w);                                                 \
                ws_spawn(f, (I)wsfj_n, (I)(wsfj_n + wsfj_w.wsfj_push) WSFJ_UN names);                                  \
                wsfj_loop_pushed(&wsfj_w, wsfj_f->wsfj_top <= wsfj_was);                                               \
            }                                                                                                          \
            const uint64_t wsfj_at = (uint64_t)wsfj_lo + wsfj_w.wsfj_at;                                               \
            wsfj_n = wsfj_loop_next(&wsfj_w);                                                                          \
            wsfj_range_##f(wsfj_deque, wsfj_f->wsfj_top, (I)wsfj_at, (I)(wsfj_at + wsfj_n) WSFJ_UN names);             \
        } while (wsfj_loop_goes_on(&wsfj_w, wsfj_f, wsfj_n));                                                          \
        wsfj_loop_end(&wsfj_w);                                                                                        \
        wsfj_sync(wsfj_f);                                                                                             \
    }                                                                                                                  \
    WSFJ_NOTHING

/* The task itself, without and with a result; its kind knows the site. */
#define WSFJ_LOOP_TASK_VOID(...) WSFJ_SPREAD(WSFJ_LOOP_VOID_2, WSFJ_ARITY(void, __VA_ARGS__), void, __VA_ARGS__)
#define WSFJ_LOOP_VOID_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    WSFJ_TASK_VOID_3((&wsfj_site_##f, 0), proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ~)

#define WSFJ_LOOP_TASK_VALUE(...) WSFJ_SPREAD(WSFJ_LOOP_VALUE_2, WSFJ_ARITY(__VA_ARGS__), __VA_ARGS__)
#define WSFJ_LOOP_VALUE_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                  \
    WSFJ_TASK_3((&wsfj_site_##f, 0), proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ~)
/* The same, but no thief drops the task: in a cancelled scope it ends by itself. */
#define WSFJ_LOOP_TASK_KEPT(...) WSFJ_SPREAD(WSFJ_LOOP_KEPT_2, WSFJ_ARITY(__VA_ARGS__), __VA_ARGS__)
#define WSFJ_LOOP_KEPT_2(proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ...)                   \
    WSFJ_TASK_3((&wsfj_site_##f, 1), proto, params, names, pass, fields, stores, loads, sizes, plain, R, f, ~)

/** Runs a loop from any thread: in a task or a serial section a plain call, else a region, unless the loop is short. The
 * value of a task with a result goes to the first argument, as with ws_run(). Value: 0 or the error of ws_run(). */
#define ws_for(f, ...)                                                                                                 \
    WSFJ_IF_DECLARED(f, __extension__({                                                                                \
                         WSFJ_CHECK_FITS("ws_for", f, WSFJ_UNFIT(f, (WSFJ_FIRST(__VA_ARGS__, ~))), __VA_ARGS__);       \
                         struct wsfj_deque *const wsfj_here = wsfj_self();                                             \
                         wsfj_here ? WSFJ_FOR_IN_TASK(f, __VA_ARGS__) : WSFJ_FOR_OUTSIDE(f, __VA_ARGS__);              \
                     }))
#ifndef __cplusplus
/* In the form that is not chosen, wsfj_unfit takes the arguments. */
#define WSFJ_FOR_HERE(f, ...)                                                                                          \
    (__builtin_choose_expr(WSFJ_IS_VOID(f), WSFJ_IF_FITTING(wsfj_go_##f, WSFJ_UNFIT_CALL(f)),                          \
                           wsfj_unfit)(wsfj_here, wsfj_tail(wsfj_here), __VA_ARGS__),                                  \
     0)
#define WSFJ_FOR_VALUE_HERE(f, rp, ...)                                                                                \
    __extension__({                                                                                                    \
        __typeof__(WSFJ_FOR_VALUE(f)(wsfj_here, NULL, __VA_ARGS__)) *wsfj_rp = WSFJ_FOR_POINTER(f, rp);                \
        __typeof__(*wsfj_rp) wsfj_r = WSFJ_FOR_VALUE(f)(wsfj_here, wsfj_tail(wsfj_here), __VA_ARGS__);                 \
        if (wsfj_rp)                                                                                                   \
            *wsfj_rp = wsfj_r;                                                                                         \
        0;                                                                                                             \
    })
#define WSFJ_FOR_VALUE(f)                                                                                              \
    __builtin_choose_expr(WSFJ_IS_VOID(f), wsfj_unfit, WSFJ_IF_FITTING(wsfj_go_##f, WSFJ_UNFIT_CALL(f)))
#define WSFJ_FOR_IN_TASK(f, ...)                                                                                       \
    __builtin_choose_expr(WSFJ_IS_VOID(f), WSFJ_FOR_HERE(f, __VA_ARGS__), WSFJ_FOR_VALUE_HERE(f, __VA_ARGS__))
#define WSFJ_FOR_POINTER(f, rp) _Generic((rp), WSFJ_RESULT_POINTER(f) : (rp), default : NULL)
#else
extern "C++" {
/* The arguments convert to the parameters here and not before: NULL is not yet a number. */
template <class wsfj_T> struct wsfj_for_parameter {
    typedef wsfj_T wsfj_type;
};
template <class wsfj_RP, bool wsfj_fits> struct wsfj_for_here {
    template <class wsfj_R, class... wsfj_P>
    WSFJ_INLINE int wsfj_call(struct wsfj_deque *wsfj_here,
                              wsfj_R (*wsfj_go)(struct wsfj_deque *, struct wsfj_descriptor *, wsfj_P...),
                              wsfj_RP wsfj_rp, typename wsfj_for_parameter<wsfj_P>::wsfj_type... wsfj_args)
    {
        wsfj_R wsfj_r = wsfj_go(wsfj_here, wsfj_tail(wsfj_here), wsfj_args...);

        if (wsfj_rp)
            *wsfj_rp = wsfj_r;
        return 0;
    }
};
template <> struct wsfj_for_here<struct wsfj_no_result *, true> {
    template <class... wsfj_P>
    WSFJ_INLINE int wsfj_call(struct wsfj_deque *wsfj_here,
                              void (*wsfj_go)(struct wsfj_deque *, struct wsfj_descriptor *, wsfj_P...),
                              typename wsfj_for_parameter<wsfj_P>::wsfj_type... wsfj_args)
    {
        wsfj_go(wsfj_here, wsfj_tail(wsfj_here), wsfj_args...);
        return 0;
    }
};
template <class wsfj_RP> struct wsfj_for_here<wsfj_RP, false> {
    template <class... wsfj_P> WSFJ_INLINE int wsfj_call(const wsfj_P &...)
    {
        return 0;
    }
};
}
#define WSFJ_FOR_IN_TASK(f, ...)                                                                                       \
    wsfj_for_here<WSFJ_RESULT_POINTER(f), wsfj_unfits == 0>::wsfj_call(wsfj_here, wsfj_go_##f, __VA_ARGS__)
#endif
/* The root is the thread's own, and not on the stack, so that the code for a call inside a task needs no frame. */
#define WSFJ_FOR_OUTSIDE(f, ...)                                                                                       \
    __extension__({                                                                                                    \
        struct wsfj_root *wsfj_w = wsfj_loop_root();                                                                   \
        struct wsfj_call_how wsfj_how;                                                                                 \
        wsfj_loop_run(wsfj_w, WSFJ_IF_FITTING(wsfj_spawn_of_##f, wsfj_unfit)(&wsfj_w->wsfj_deque, &wsfj_w->wsfj_desc,  \
                                                                             &wsfj_how, __VA_ARGS__));                 \
    })

#endif
