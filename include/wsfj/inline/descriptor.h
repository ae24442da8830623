/* SPDX-License-Identifier: MIT */
/*
 * A task as a descriptor in a deque: its arguments on the way in, its result on the way out.
 *
 * WSFJ_HELPERS(..., long, fib) makes for WS_TASK(long, fib, long, n)
 *
 *   struct wsfj_args_fib                     the arguments; in the area if they or the result are large
 *   long *wsfj_spawn_of_fib(...)             writes the descriptor; called by ws_spawn and ws_run
 *   void wsfj_exec_fib(...)                  reads the arguments and calls wsfj_go_fib
 *   void wsfj_own_fib(...)                   the same, always inlined, for the owner's sync; with gcc only
 *   void wsfj_exec_1_fib(...), wsfj_exec_2_fib(...)     ... wsfj_twin_1_fib, wsfj_twin_2_fib; where there are twins (task.h)
 *   void wsfj_fetch_fib(...)                 copies the result from where a thief has put it
 *   const struct wsfj_kind wsfj_kind_fib     what the library knows of the task
 *
 * task.h has the functions that these call; abi.h has the layout of a descriptor.
 */
#ifndef WSFJ_DESCRIPTOR_H
#define WSFJ_DESCRIPTOR_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "fastpath.h"
#include "forms.h"

/* Arguments are copied byte by byte, into the type that a parameter has in the function: without const, and with a pointer
 * for an array. */
#ifdef __cplusplus
extern "C++" {
template <class wsfj_T> struct wsfj_plain {
#ifdef __clang__
    static constexpr bool wsfj_is =
        __is_trivially_constructible(wsfj_T, const wsfj_T &) && __is_trivially_destructible(wsfj_T);
#else
    static constexpr bool wsfj_is =
        __is_trivially_constructible(wsfj_T, const wsfj_T &) && __has_trivial_destructor(wsfj_T);
#endif
};
template <class wsfj_T> struct wsfj_plain<wsfj_T &> {
    static constexpr bool wsfj_is = false;
};
template <class wsfj_T> struct wsfj_plain<wsfj_T &&> {
    static constexpr bool wsfj_is = false;
};
template <class wsfj_T> struct wsfj_plain<wsfj_T[]> {
    static constexpr bool wsfj_is = true;
};
template <class wsfj_T, size_t wsfj_n> struct wsfj_plain<wsfj_T[wsfj_n]> {
    static constexpr bool wsfj_is = true;
};
template <class wsfj_T> struct wsfj_field {
    typedef wsfj_T wsfj_type;
};
template <class wsfj_T> struct wsfj_field<const wsfj_T> {
    typedef wsfj_T wsfj_type;
};
template <class wsfj_T> struct wsfj_field<wsfj_T &> {
    typedef wsfj_T *wsfj_type;
};
template <class wsfj_T> struct wsfj_field<wsfj_T[]> {
    typedef wsfj_T *wsfj_type;
};
template <class wsfj_T, size_t wsfj_n> struct wsfj_field<wsfj_T[wsfj_n]> {
    typedef wsfj_T *wsfj_type;
};
}
#define WSFJ_FIELD(A) typename wsfj_field<A>::wsfj_type
#define WSFJ_CHECK_PLAIN(plain, R, f)                                                                                   \
    static_assert(                                                                                                      \
        true WSFJ_UN plain,                                                                                             \
        "libwsfj: " #f                                                                                                  \
        ": a parameter of a task is copied byte by byte, and so needs a type with a trivial copy constructor "          \
        "and destructor; pass a pointer to this object, or use ws::task_scope of wsfj.hpp");                            \
    static_assert(wsfj_plain<R>::wsfj_is,                                                                               \
                  "libwsfj: " #f                                                                                        \
                  ": the result of a task is copied byte by byte, and so needs a type with a trivial copy constructor " \
                  "and destructor; pass a pointer to where it goes, or use ws::task_scope of wsfj.hpp")
#else
#define WSFJ_FIELD(A) __typeof__(((void)0, *(A *)0))
#define WSFJ_CHECK_PLAIN(plain, R, f) WSFJ_NOTHING
#endif

/* Arguments and result of a task fit into its descriptor, or both go to the argument area. */
#define WSFJ_SIZES(f, size, align)                                                                                     \
    enum {                                                                                                             \
        wsfj_in_area_##f = sizeof(struct wsfj_args_##f) > sizeof(uint64_t[WSFJ_DESCRIPTOR_WORDS]) ||                   \
                           (size) > sizeof(uint64_t[WSFJ_DESCRIPTOR_WORDS]) || (align) > 16,                           \
        wsfj_align_##f = (align) > WSFJ_DESCRIPTOR_BYTES ? (align) : WSFJ_DESCRIPTOR_BYTES,                            \
    };                                                                                                                 \
    static const size_t wsfj_size_##f = sizeof(struct wsfj_args_##f) > (size) ? sizeof(struct wsfj_args_##f) : (size)

/* The struct of the arguments. Comes before the functions: if both fail, its message is the clearer one. */
#define WSFJ_LAYOUT(fields, plain, R, f)                                                                               \
    WSFJ_CHECK_PLAIN(plain, R, f);                                                                                     \
    WSFJ_ARGS(f, fields)
#define WSFJ_ARGS(f, fields)                                                                                           \
    struct wsfj_args_##f {                                                                                             \
        WSFJ_UN fields                                                                                                 \
    } __attribute__((__packed__, __may_alias__))

/* loop: (site, kept), the last two fields. */
#define WSFJ_KIND(f, size, loop)                                                                                       \
    static const struct wsfj_kind wsfj_kind_##f = {                                                                    \
        wsfj_exec_##f, #f, __FILE__, __LINE__, wsfj_in_area_##f, size, sizeof(struct wsfj_args_##f), WSFJ_UN loop}

#define WSFJ_ARGS_OF(f, desc) (wsfj_in_area_##f ? (void *)(uintptr_t)(desc)->wsfj_args[0] : (void *)(desc)->wsfj_args)

#define WSFJ_EXEC_ARGS(f)                                                                                              \
    void *wsfj_a = WSFJ_ARGS_OF(f, wsfj_desc);                                                                         \
    struct wsfj_args_##f *const wsfj_c WSFJ_UNUSED = (struct wsfj_args_##f *)wsfj_a;                                   \
    const int wsfj_g WSFJ_UNUSED = wsfj_in_area_##f ? (wsfj_area_give(wsfj_deque, wsfj_a), 1) : 0

/* One store for each argument, as written: gcc would pack two doubles into a vector first, which costs more than it
 * saves (integrate: 1.20 times the elision against 1.13). C++ cannot assign a struct through volatile. */
#ifdef __cplusplus
#define WSFJ_IN_ORDER
#else
#define WSFJ_IN_ORDER volatile
#endif

#define WSFJ_PUSH_ARGS(f, stores, sizes, has_result)                                                                   \
    do {                                                                                                               \
        WSFJ_IN_ORDER struct wsfj_args_##f *wsfj_p WSFJ_UNUSED = (WSFJ_IN_ORDER struct wsfj_args_##f *)wsfj_a;         \
        WSFJ_ASSERT(0 WSFJ_UN sizes == sizeof *wsfj_p,                                                                 \
                    "libwsfj: " #f ": the name of a parameter is a plain name; an array "                              \
                    "or a pointer to a function needs a pointer type or a typedef");                                   \
        if (wsfj_in_area_##f)                                                                                          \
            wsfj_desc->wsfj_args[0] = (uintptr_t)wsfj_a;                                                               \
        WSFJ_UN stores;                                                                                                \
        __atomic_store_n(&wsfj_desc->wsfj_word, (uintptr_t)&wsfj_kind_##f, WSFJ_WORD_ORDER);                           \
        wsfj_how->wsfj_exec[0] = WSFJ_EXEC_TWIN(1, f);                                                                 \
        wsfj_how->wsfj_exec[1] = WSFJ_EXEC_TWIN(2, f);                                                                 \
        wsfj_how->wsfj_exec[2] = WSFJ_OWN(f);                                                                          \
        wsfj_how->wsfj_fetch = wsfj_fetch_##f;                                                                         \
        wsfj_how->wsfj_result = has_result;                                                                            \
    } while (0)

/* The call in a function of its own, so that the result pointer need not outlive the child where clang inlines it. clang moves
 * a parameter that does to another register at the entry; then each leaf builds a stack frame. */
#define WSFJ_EXEC(kind, exec, child, loads, R, f)                                                                      \
    kind __typeof__(R) exec##_0_##f(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,                  \
                                    struct wsfj_descriptor *wsfj_desc)                                                 \
    {                                                                                                                  \
        WSFJ_EXEC_ARGS(f);                                                                                             \
        return child(wsfj_deque, wsfj_base WSFJ_UN loads);                                                             \
    }                                                                                                                  \
    kind void exec##_##f(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,                             \
                         struct wsfj_descriptor *wsfj_desc, void *wsfj_rp)                                             \
    {                                                                                                                  \
        __typeof__(R) wsfj_r = exec##_0_##f(wsfj_deque, wsfj_base, wsfj_desc);                                         \
        if (wsfj_rp)                                                                                                   \
            *(__typeof__(R) *)wsfj_rp = wsfj_r;                                                                        \
    }

#define WSFJ_EXEC_VOID(kind, exec, child, loads, f)                                                                    \
    kind void exec##_##f(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,                             \
                         struct wsfj_descriptor *wsfj_desc, void *wsfj_rp WSFJ_UNUSED)                                 \
    {                                                                                                                  \
        WSFJ_EXEC_ARGS(f);                                                                                             \
        child(wsfj_deque, wsfj_base WSFJ_UN loads);                                                                    \
    }

/* What the owner's sync calls for such children. With gcc it is a copy that is always inlined, so that gcc sees one function
 * that calls itself. If two functions call each other, gcc stops inlining at other depths (doc/decisions/0003-twins.md). */
#ifdef __clang__
#define WSFJ_OWN(f) wsfj_exec_##f
#define WSFJ_EXEC_OWN(loads, R, f)
#define WSFJ_EXEC_OWN_VOID(loads, f)
#else
#define WSFJ_OWN(f) wsfj_owner_##f
#define WSFJ_EXEC_OWN(loads, R, f) WSFJ_EXEC(WSFJ_INLINE, wsfj_owner, wsfj_go_##f, loads, R, f)
#define WSFJ_EXEC_OWN_VOID(loads, f) WSFJ_EXEC_VOID(WSFJ_INLINE, wsfj_owner, wsfj_go_##f, loads, f)
#endif

#define WSFJ_HELPERS(loop, shared, params, names, fields, stores, loads, sizes, R, f)                                  \
    struct wsfj_result_##f {                                                                                           \
        __typeof__(R) wsfj_r;                                                                                          \
    } __attribute__((__may_alias__));                                                                                  \
    WSFJ_SIZES(f, sizeof(R), __alignof__(R));                                                                          \
    WSFJ_EXEC(static inline WSFJ_UNUSED, wsfj_exec, wsfj_go_##f, loads, R, f)                                          \
    WSFJ_EXEC_OWN(loads, R, f)                                                                                         \
    WSFJ_EXEC_TWINS(loads, R, f)                                                                                       \
    WSFJ_INLINE void wsfj_fetch_##f(struct wsfj_descriptor *wsfj_desc, void *wsfj_rp)                                  \
    {                                                                                                                  \
        if (wsfj_rp)                                                                                                   \
            *(__typeof__(R) *)wsfj_rp = ((struct wsfj_result_##f *)WSFJ_ARGS_OF(f, wsfj_desc))->wsfj_r;                \
    }                                                                                                                  \
    WSFJ_KIND(f, sizeof(R), loop);                                                                                     \
    shared WSFJ_ALWAYS __typeof__(R) *wsfj_spawn_of_##f(                                                               \
        struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_desc, struct wsfj_call_how *wsfj_how,              \
        __typeof__(R) *wsfj_rp WSFJ_UN params)                                                                         \
    {                                                                                                                  \
        void *wsfj_a =                                                                                                 \
            wsfj_in_area_##f ? wsfj_area_take(wsfj_deque, wsfj_size_##f, wsfj_align_##f) : wsfj_desc->wsfj_args;       \
        if (wsfj_in_area_##f && WSFJ_UNLIKELY(!wsfj_a)) {                                                              \
            wsfj_how->wsfj_exec[0] = NULL;                                                                             \
            if (wsfj_deque->wsfj_mode == WSFJ_DEQUE_ROOT)                                                              \
                return NULL; /* the descriptor stays empty: ws_run() reports it */                                     \
            if (wsfj_rp)                                                                                               \
                *wsfj_rp = wsfj_go_##f(wsfj_deque, wsfj_desc WSFJ_UN names);                                           \
            else                                                                                                       \
                (void)wsfj_go_##f(wsfj_deque, wsfj_desc WSFJ_UN names);                                                \
            return wsfj_rp;                                                                                            \
        }                                                                                                              \
        WSFJ_PUSH_ARGS(f, stores, sizes, 1);                                                                           \
        return wsfj_rp;                                                                                                \
    }

#define WSFJ_HELPERS_VOID(loop, shared, params, names, fields, stores, loads, sizes, f)                                \
    WSFJ_SIZES(f, 0, 1);                                                                                               \
    WSFJ_EXEC_VOID(static inline WSFJ_UNUSED, wsfj_exec, wsfj_go_##f, loads, f)                                        \
    WSFJ_EXEC_OWN_VOID(loads, f)                                                                                       \
    WSFJ_EXEC_TWINS_VOID(loads, f)                                                                                     \
    WSFJ_INLINE void wsfj_fetch_##f(struct wsfj_descriptor *wsfj_desc WSFJ_UNUSED, void *wsfj_rp WSFJ_UNUSED)          \
    {                                                                                                                  \
    }                                                                                                                  \
    WSFJ_KIND(f, 0, loop);                                                                                             \
    shared WSFJ_ALWAYS void *wsfj_spawn_of_##f(struct wsfj_deque *wsfj_deque WSFJ_UNUSED,                              \
                                               struct wsfj_descriptor *wsfj_desc,                                      \
                                               struct wsfj_call_how *wsfj_how WSFJ_UN params)                          \
    {                                                                                                                  \
        void *wsfj_a =                                                                                                 \
            wsfj_in_area_##f ? wsfj_area_take(wsfj_deque, wsfj_size_##f, wsfj_align_##f) : wsfj_desc->wsfj_args;       \
        if (wsfj_in_area_##f && WSFJ_UNLIKELY(!wsfj_a)) {                                                              \
            wsfj_how->wsfj_exec[0] = NULL;                                                                             \
            if (wsfj_deque->wsfj_mode == WSFJ_DEQUE_ROOT)                                                              \
                return NULL; /* the descriptor stays empty: ws_run() reports it */                                     \
            wsfj_go_##f(wsfj_deque, wsfj_desc WSFJ_UN names);                                                          \
            return NULL;                                                                                               \
        }                                                                                                              \
        WSFJ_PUSH_ARGS(f, stores, sizes, 0);                                                                           \
        return NULL;                                                                                                   \
    }

#endif
