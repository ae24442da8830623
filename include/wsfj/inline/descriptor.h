/* SPDX-License-Identifier: MIT */
/*
 * A task as a descriptor in a deque: its arguments on the way in, its result on the way out.
 *
 * WSFJ_HELPERS(..., long, fib) makes for WS_TASK(long, fib, long, n)
 *
 *   struct wsfj_args_fib                     the arguments; in the area if they or the result are large
 *   long *wsfj_push_fib(...)                 writes the descriptor; called by ws_spawn and ws_run
 *   void wsfj_exec_fib(...)                  reads the arguments and calls wsfj_go_fib
 *   void wsfj_exec_twin_fib(...)                  ... wsfj_twin_fib
 *   void wsfj_fetch_fib(...)                 copies the result from where a thief has put it
 *   const struct wsfj_kind wsfj_kind_fib     what the library knows of the task
 *
 * task.h has the functions that these call; abi.h has the layout of a descriptor.
 */
#ifndef WSFJ_DESCRIPTOR_H
#define WSFJ_DESCRIPTOR_H

#include "args.h"
#include "fastpath.h"

/* Arguments and result of a task fit into its descriptor, or both go to the argument area. */
#define WSFJ_SIZES(f, size, align)                                                                                     \
    enum {                                                                                                             \
        wsfj_in_area_##f = sizeof(struct wsfj_args_##f) > sizeof(uint64_t[WSFJ_DESCRIPTOR_WORDS]) ||                   \
                           (size) > sizeof(uint64_t[WSFJ_DESCRIPTOR_WORDS]) || (align) > 16,                           \
        wsfj_align_##f = (align) > WSFJ_DESCRIPTOR_BYTES ? (align) : WSFJ_DESCRIPTOR_BYTES,                            \
    };                                                                                                                 \
    static const size_t wsfj_size_##f = sizeof(struct wsfj_args_##f) > (size) ? sizeof(struct wsfj_args_##f) : (size)

#define WSFJ_ARGS(f, fields)                                                                                           \
    struct wsfj_args_##f {                                                                                             \
        WSFJ_UN fields                                                                                                 \
    } __attribute__((__packed__, __may_alias__))

#define WSFJ_KIND(f, size)                                                                                             \
    static const struct wsfj_kind wsfj_kind_##f = {wsfj_exec_##f, #f, __FILE__, __LINE__, wsfj_in_area_##f, size}

#define WSFJ_ARGS_OF(f, desc) (wsfj_in_area_##f ? (void *)(uintptr_t)(desc)->wsfj_args[0] : (void *)(desc)->wsfj_args)

#define WSFJ_EXEC_ARGS(f)                                                                                              \
    void *wsfj_a = WSFJ_ARGS_OF(f, wsfj_l);                                                                            \
    struct wsfj_args_##f wsfj_c WSFJ_UNUSED = *(struct wsfj_args_##f *)wsfj_a;                                         \
    if (wsfj_in_area_##f)                                                                                              \
    wsfj_area_give(wsfj_h, wsfj_a)

/* One store for each argument, as written: gcc would pack two doubles into a vector first, which costs more than it
 * saves (integrate: 1.20 times the elision against 1.13). C++ cannot assign a struct through volatile. */
#ifdef __cplusplus
#define WSFJ_IN_ORDER
#else
#define WSFJ_IN_ORDER volatile
#endif

#define WSFJ_PUSH_ARGS(f, stores, has_result)                                                                          \
    if (wsfj_in_area_##f)                                                                                              \
        wsfj_l->wsfj_args[0] = (uintptr_t)wsfj_a;                                                                      \
    WSFJ_IN_ORDER struct wsfj_args_##f *wsfj_p WSFJ_UNUSED = (WSFJ_IN_ORDER struct wsfj_args_##f *)wsfj_a;             \
    WSFJ_UN stores;                                                                                                    \
    __atomic_store_n(&wsfj_l->wsfj_word, (uintptr_t)&wsfj_kind_##f, WSFJ_WORD_ORDER);                                  \
    wsfj_t->wsfj_twin = wsfj_exec_##f;                                                                                 \
    wsfj_t->wsfj_exec = WSFJ_OTHER_EXEC(f);                                                                            \
    wsfj_t->wsfj_fetch = wsfj_fetch_##f;                                                                               \
    wsfj_t->wsfj_result = has_result

#define WSFJ_EXEC(exec, child, loads, R, f)                                                                            \
    static inline WSFJ_UNUSED void exec##_##f(struct wsfj_deque *wsfj_h, struct wsfj_descriptor *wsfj_b,               \
                                              struct wsfj_descriptor *wsfj_l, void *wsfj_rp)                           \
    {                                                                                                                  \
        WSFJ_EXEC_ARGS(f);                                                                                             \
        __typeof__(R) wsfj_r = child(wsfj_h, wsfj_b WSFJ_UN loads);                                                    \
        if (wsfj_rp)                                                                                                   \
            *(__typeof__(R) *)wsfj_rp = wsfj_r;                                                                        \
    }

#define WSFJ_EXEC_VOID(exec, child, loads, f)                                                                          \
    static inline WSFJ_UNUSED void exec##_##f(struct wsfj_deque *wsfj_h, struct wsfj_descriptor *wsfj_b,               \
                                              struct wsfj_descriptor *wsfj_l, void *wsfj_rp WSFJ_UNUSED)               \
    {                                                                                                                  \
        WSFJ_EXEC_ARGS(f);                                                                                             \
        child(wsfj_h, wsfj_b WSFJ_UN loads);                                                                           \
    }

#define WSFJ_HELPERS(shared, params, names, fields, stores, loads, R, f)                                               \
    WSFJ_ARGS(f, fields);                                                                                              \
    struct wsfj_result_##f {                                                                                           \
        __typeof__(R) wsfj_r;                                                                                          \
    } __attribute__((__may_alias__));                                                                                  \
    WSFJ_SIZES(f, sizeof(R), __alignof__(R));                                                                          \
    WSFJ_EXEC(wsfj_exec, wsfj_go_##f, loads, R, f)                                                                     \
    WSFJ_EXEC(wsfj_exec_twin, wsfj_twin_##f, loads, R, f)                                                              \
    WSFJ_INLINE void wsfj_fetch_##f(struct wsfj_descriptor *wsfj_l, void *wsfj_rp)                                     \
    {                                                                                                                  \
        if (wsfj_rp)                                                                                                   \
            *(__typeof__(R) *)wsfj_rp = ((struct wsfj_result_##f *)WSFJ_ARGS_OF(f, wsfj_l))->wsfj_r;                   \
    }                                                                                                                  \
    WSFJ_KIND(f, sizeof(R));                                                                                           \
    shared WSFJ_ALWAYS __typeof__(R) *wsfj_push_##f(struct wsfj_deque *wsfj_h, struct wsfj_descriptor *wsfj_l,         \
                                                    struct wsfj_call_how *wsfj_t,                                      \
                                                    __typeof__(R) *wsfj_rp WSFJ_UN params)                             \
    {                                                                                                                  \
        void *wsfj_a = wsfj_in_area_##f ? wsfj_area_take(wsfj_h, wsfj_size_##f, wsfj_align_##f) : wsfj_l->wsfj_args;   \
        if (wsfj_in_area_##f && WSFJ_UNLIKELY(!wsfj_a)) {                                                              \
            wsfj_t->wsfj_exec = NULL;                                                                                  \
            if (wsfj_h->wsfj_mode == WSFJ_DEQUE_ROOT)                                                                  \
                return NULL; /* the descriptor stays empty: ws_run() reports it */                                     \
            __typeof__(R) wsfj_r = wsfj_go_##f(wsfj_h, wsfj_l WSFJ_UN names);                                          \
            if (wsfj_rp)                                                                                               \
                *wsfj_rp = wsfj_r;                                                                                     \
            return wsfj_rp;                                                                                            \
        }                                                                                                              \
        WSFJ_PUSH_ARGS(f, stores, 1);                                                                                  \
        return wsfj_rp;                                                                                                \
    }

#define WSFJ_HELPERS_VOID(shared, params, names, fields, stores, loads, f)                                             \
    WSFJ_ARGS(f, fields);                                                                                              \
    WSFJ_SIZES(f, 0, 1);                                                                                               \
    WSFJ_EXEC_VOID(wsfj_exec, wsfj_go_##f, loads, f)                                                                   \
    WSFJ_EXEC_VOID(wsfj_exec_twin, wsfj_twin_##f, loads, f)                                                            \
    WSFJ_INLINE void wsfj_fetch_##f(struct wsfj_descriptor *wsfj_l WSFJ_UNUSED, void *wsfj_rp WSFJ_UNUSED)             \
    {                                                                                                                  \
    }                                                                                                                  \
    WSFJ_KIND(f, 0);                                                                                                   \
    shared WSFJ_ALWAYS void *wsfj_push_##f(struct wsfj_deque *wsfj_h WSFJ_UNUSED, struct wsfj_descriptor *wsfj_l,      \
                                           struct wsfj_call_how *wsfj_t WSFJ_UN params)                                \
    {                                                                                                                  \
        void *wsfj_a = wsfj_in_area_##f ? wsfj_area_take(wsfj_h, wsfj_size_##f, wsfj_align_##f) : wsfj_l->wsfj_args;   \
        if (wsfj_in_area_##f && WSFJ_UNLIKELY(!wsfj_a)) {                                                              \
            wsfj_t->wsfj_exec = NULL;                                                                                  \
            if (wsfj_h->wsfj_mode == WSFJ_DEQUE_ROOT)                                                                  \
                return NULL; /* the descriptor stays empty: ws_run() reports it */                                     \
            wsfj_go_##f(wsfj_h, wsfj_l WSFJ_UN names);                                                                 \
            return NULL;                                                                                               \
        }                                                                                                              \
        WSFJ_PUSH_ARGS(f, stores, 0);                                                                                  \
        return NULL;                                                                                                   \
    }

#endif
