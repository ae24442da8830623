/* SPDX-License-Identifier: MIT */
/*
 * The checks at a spawn: is it in a task, is there such a task, does the result pointer fit.
 *
 * The first name that the compiler looks up is WSFJ_RESULT_POINTER(f), the type of the task's result pointer. If it does
 * not exist, its name is the message; then clang skips the rest of the _Generic, where all other names are.
 */
#ifndef WSFJ_CHECK_H
#define WSFJ_CHECK_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "compiler.h"
#include "forms.h"

/* What a check knows of a task: the type of its result pointer, and how many arguments it takes, as the length of an array
 * of so many elements and one more. */
#define WSFJ_SIGNATURE(R, params, names, f)                                                                            \
    typedef R *WSFJ_RESULT_POINTER(f), *wsfj_takes_##f[WSFJ_NUMBER(WSFJ_UN params)];                                   \
    WSFJ_CHECK_NAMES(names, f)
#if defined __clang__ && !defined __cplusplus /* does not compute this outside of functions */
#define WSFJ_CHECK_NAMES(names, f) WSFJ_NOTHING
#else
#define WSFJ_CHECK_NAMES(names, f)                                                                                     \
    WSFJ_ASSERT(!__builtin_strchr(WSFJ_TEXT(names), '['),                                                              \
                "libwsfj: " #f ": the name of a parameter is a plain name, without [ ]: pass an array as a pointer")
#endif
#define WSFJ_TAKES(f) (sizeof(wsfj_takes_##f) / sizeof(void *) - 1)
struct wsfj_no_result {
    char wsfj_none;
};

/* Declares wsfj_unfits, which is 0 if the n arguments fit, and says what is wrong: -1, they are too few; 1, too many; 2, the
 * result pointer. The commas of a compound literal separate arguments of a macro, too: what looks like too many
 * arguments and has one is left to the compiler. */
#define WSFJ_CHECK_ARGS(macro, f, unfit, takes, rule, n, ...)                                                          \
    enum {                                                                                                             \
        wsfj_unfits = (unfit)                                        ? 2                                               \
                      : (n) == (takes)                               ? 0                                               \
                      : (n) < (takes)                                ? -1                                              \
                      : wsfj_has_inner_comma(WSFJ_TEXT(__VA_ARGS__)) ? 0                                               \
                                                                     : 1                                               \
    };                                                                                                                 \
    WSFJ_ASSERT(wsfj_unfits != 2, WSFJ_UNFIT_SAYS(macro, f));                                                          \
    WSFJ_ASSERT(wsfj_unfits != -1, WSFJ_COUNT_SAYS(macro, f, "few", n) rule);                                          \
    WSFJ_ASSERT(wsfj_unfits != 1, WSFJ_COUNT_SAYS(macro, f, "many", n) rule)
#define WSFJ_UNFIT_SAYS(macro, f)                                                                                      \
    "libwsfj: " macro "(" #f ", ...): the result pointer does not fit the result of " #f                               \
    "; it comes first, such as &x, or is NULL"
#define WSFJ_COUNT_SAYS(macro, f, few, n)                                                                              \
    "libwsfj: " macro "(" #f ", ...): too " few " arguments after " #f ": " WSFJ_TEXT(n)
/* With ws_spawn, ws_run and ws_for, and with ws_call. */
#define WSFJ_CHECK_FITS(macro, f, unfit, ...)                                                                          \
    WSFJ_CHECK_ARGS(macro, f, unfit, WSFJ_TAKES(f) + !WSFJ_IS_VOID(f),                                                 \
                    "; a result pointer comes first if " #f " has a result, and only then", WSFJ_NUMBER(__VA_ARGS__),  \
                    __VA_ARGS__)
#define WSFJ_CHECK_CALL(f, ...)                                                                                        \
    WSFJ_CHECK_ARGS("ws_call", f, 0, WSFJ_TAKES(f),                                                                    \
                    "; the result of " #f " is the value of ws_call, without a pointer", WSFJ_NUMBER(__VA_ARGS__),     \
                    __VA_ARGS__)
#ifdef __cplusplus
WSFJ_INLINE constexpr bool wsfj_has_inner_comma(const char *wsfj_text)
{
    return __builtin_strchr(wsfj_text, '{') || __builtin_strchr(wsfj_text, '[') || __builtin_strchr(wsfj_text, '<');
}
#define WSFJ_IS_VOID(f) __is_same(WSFJ_RESULT_POINTER(f), struct wsfj_no_result *)
/* The compiler itself checks pointers, but its messages for ws_for are long. */
extern "C++" {
template <class wsfj_RP> char wsfj_fits(wsfj_RP);
template <class wsfj_RP> char (&wsfj_fits(...))[2];
}
#define WSFJ_UNFIT(f, first) (!WSFJ_IS_VOID(f) && sizeof(wsfj_fits<WSFJ_RESULT_POINTER(f)>(first)) != 1)
#define WSFJ_UNFIT_HERE(f, ...) 0
#else
#define wsfj_has_inner_comma(text) (__builtin_strchr(text, '{') != 0)
#define WSFJ_IS_VOID(f) _Generic((WSFJ_RESULT_POINTER(f))0, struct wsfj_no_result * : 1, default : 0)
#define WSFJ_UNFIT(f, first)                                                                                           \
    _Generic((WSFJ_RESULT_POINTER(f))0, struct wsfj_no_result * : 0, default                                           \
             : _Generic(first, void * : 0, __typeof__((WSFJ_RESULT_POINTER(f))0) : 0, default : 1))
#define WSFJ_UNFIT_HERE(f, ...) WSFJ_UNFIT(f, (WSFJ_FIRST(__VA_ARGS__, ~)))
#endif

/* Never called; unoptimised code of g++ may name it. The second has the result of f. */
#ifdef __cplusplus
static inline __attribute__((__unused__)) void *wsfj_unfit(void *, ...)
{
    return NULL;
}
extern "C++" {
template <class wsfj_R> wsfj_R wsfj_unfit_call(void *, ...);
}
#define WSFJ_UNFIT_CALL(f) wsfj_unfit_call<__typeof__(*(WSFJ_RESULT_POINTER(f))0)>
#else
void *wsfj_unfit(void *, ...);
#define WSFJ_UNFIT_CALL(f) (__typeof__ (*(WSFJ_RESULT_POINTER(f))0) (*)(void *, ...))0
#endif

/* `x`, which exists if the task does. A function is called through *, so that clang does not show its declaration.
 * After a check, `any` stands for an `x` that does not fit: a function with any arguments, so that the compiler says no
 * more. g++ cannot choose. */
#if defined __clang__ || !defined __cplusplus
#ifdef __cplusplus /* in this form clang does not guess what other task might be meant */
#define WSFJ_IF_DECLARED(f, x) __extension__ _Generic(WSFJ_RESULT_POINTER(f){}, default : x)
#else
#define WSFJ_IF_DECLARED(f, x) __extension__ _Generic((WSFJ_RESULT_POINTER(f))0, default : x)
#endif
#define WSFJ_IF_TASK(f, x) (*WSFJ_IF_DECLARED(f, x))
#define WSFJ_IF_CHECKED(check, f, x, any)                                                                              \
    WSFJ_IF_TASK(f, _Generic(({                                                                                        \
                                 check;                                                                                \
                                 WSFJ_UNFITS_TYPE;                                                                     \
                             }),                                                                                       \
                             char(*)[1]                                                                                \
                             : x, default                                                                              \
                             : any))
#define WSFJ_IF_CALLED(f, x, ...) WSFJ_IF_CHECKED(WSFJ_CHECK_CALL(f, __VA_ARGS__), f, x, WSFJ_UNFIT_CALL(f))
#define WSFJ_IF_FITTING(x, any) (*__extension__ _Generic(WSFJ_UNFITS_TYPE, char(*)[1] : x, default : any))
#define WSFJ_UNFITS_TYPE ((char(*)[wsfj_unfits ? 2 : 1])0)
#else
#define WSFJ_IF_DECLARED(f, x) ((void)(WSFJ_RESULT_POINTER(f))0, x)
#define WSFJ_IF_TASK WSFJ_IF_DECLARED
#define WSFJ_IF_CHECKED(check, f, x, any)                                                                              \
    WSFJ_IF_TASK(f, ((void)__extension__({                                                                             \
                         check;                                                                                        \
                         0;                                                                                            \
                     }),                                                                                               \
                     x))
#define WSFJ_IF_CALLED(f, x, ...)                                                                                      \
    ((void)sizeof(WSFJ_RESULT_POINTER(f)), (void)__extension__({                                                       \
         WSFJ_CHECK_CALL(f, __VA_ARGS__);                                                                              \
         0;                                                                                                            \
     }),                                                                                                               \
     x)
/* Only on the cold path of ws_for. */
extern "C++" {
template <bool wsfj_fits> struct wsfj_fitting {
    template <class wsfj_F> WSFJ_INLINE wsfj_F *wsfj_is(wsfj_F *wsfj_x, void *(*)(void *, ...))
    {
        return wsfj_x;
    }
};
template <> struct wsfj_fitting<false> {
    template <class wsfj_F> WSFJ_INLINE void *(*wsfj_is(wsfj_F *, void *(*wsfj_any)(void *, ...)))(void *, ...)
    {
        return wsfj_any;
    }
};
}
#define WSFJ_IF_FITTING(x, any) wsfj_fitting<wsfj_unfits == 0>::wsfj_is(x, any)
#endif
#define WSFJ_IF_FITS(macro, f, x, ...)                                                                                 \
    WSFJ_IF_CHECKED(WSFJ_CHECK_FITS(macro, f, WSFJ_UNFIT_HERE(f, __VA_ARGS__), __VA_ARGS__), f, x, wsfj_unfit)

/* WSFJ_CHECK_FRAME as an expression. */
#define WSFJ_CHECKED(what)                                                                                             \
    (void)__extension__({                                                                                              \
        WSFJ_CHECK_FRAME(what);                                                                                        \
        0;                                                                                                             \
    })

/* The value of a spawn, which nothing can be assigned from. */
struct wsfj_ws_spawn_has_no_value__the_result_goes_to_its_pointer {
    char wsfj_none;
};
WSFJ_INLINE struct wsfj_ws_spawn_has_no_value__the_result_goes_to_its_pointer wsfj_no_value(void)
{
    struct wsfj_ws_spawn_has_no_value__the_result_goes_to_its_pointer wsfj_none = {0};
    return wsfj_none;
}

#if defined WSFJ_PROFILE || defined WSFJ_RACE
#define WSFJ_FRAME_TYPE struct wsfj_scope
#else
#define WSFJ_FRAME_TYPE struct wsfj_frame
#endif
#define WSFJ_NOT_HERE(what) "libwsfj: " what " belongs in a task (WS_TASK), or in a block after ws_frame()"

#ifndef __cplusplus
#define WSFJ_CHECK_FRAME(what)                                                                                         \
    _Static_assert(__builtin_types_compatible_p(__typeof__(wsfj_f), WSFJ_FRAME_TYPE *), WSFJ_NOT_HERE(what))
#define WSFJ_FRAME_FUNCTION WSFJ_NOTHING
#else
/* In C++ a lambda sees the frame of the function around it, and may run
 * after that function: so a spawn compares the function that it is in with the function of the frame. */
WSFJ_INLINE constexpr bool wsfj_same_text(const char *wsfj_a, const char *wsfj_b)
{
    return *wsfj_a != *wsfj_b ? false : *wsfj_a == 0 ? true : wsfj_same_text(wsfj_a + 1, wsfj_b + 1);
}
WSFJ_INLINE constexpr bool wsfj_begins_with(const char *wsfj_a, const char *wsfj_b)
{
    return *wsfj_b == 0 ? true : *wsfj_a != *wsfj_b ? false : wsfj_begins_with(wsfj_a + 1, wsfj_b + 1);
}
static constexpr const char *wsfj_function WSFJ_UNUSED = nullptr;
#define WSFJ_FRAME_FUNCTION static constexpr const char *wsfj_function WSFJ_UNUSED = __PRETTY_FUNCTION__

#define WSFJ_IS_FRAME                                                                                                  \
    (__is_same(__typeof__(wsfj_f), WSFJ_FRAME_TYPE *) || __is_same(__typeof__(wsfj_f), WSFJ_FRAME_TYPE *const))
#define WSFJ_CHECK_FRAME(what)                                                                                         \
    static_assert(WSFJ_IS_FRAME, WSFJ_NOT_HERE(what));                                                                 \
    static_assert(                                                                                                     \
        !WSFJ_IS_FRAME || (wsfj_function ? wsfj_same_text(wsfj_function ? wsfj_function : "", __PRETTY_FUNCTION__)     \
                                         : wsfj_begins_with(__func__, "wsfj_body_")),                                  \
        "libwsfj: " what " in a lambda would use the frame of the function around it: begin the lambda with "          \
        "ws_frame()")
#endif

#endif
