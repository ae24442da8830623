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

/* `x`, a function that exists if the task does. Called through *, so that clang does not show its declaration. */
#if defined __clang__ || !defined __cplusplus
#define WSFJ_IF_TASK(f, x) (*__extension__ _Generic((WSFJ_RESULT_POINTER(f))0, default : x))
#else
#define WSFJ_IF_TASK(f, x) ((void)(WSFJ_RESULT_POINTER(f))0, x)
#endif
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
/* WSFJ_IF_TASK, if the result pointer fits. A wrong one is an error, and not a warning; then `x` is not called, so that
 * nothing else is wrong. */
#define WSFJ_IF_FITS(macro, f, x, ...)                                                                                 \
    WSFJ_IF_TASK(f,                                                                                                    \
                 __builtin_choose_expr(sizeof(struct {                                                                 \
                                           enum { wsfj_unfits = WSFJ_UNFIT(f, (WSFJ_FIRST(__VA_ARGS__, ~))) } wsfj_e;  \
                                           _Static_assert(!wsfj_unfits, WSFJ_UNFIT_SAYS(macro, f));                    \
                                       }) &&                                                                           \
                                           wsfj_unfits,                                                                \
                                       wsfj_unfit, x))
#define WSFJ_UNFIT_SAYS(macro, f)                                                                                      \
    "libwsfj: " macro "(" #f ", ...): the result pointer does not fit the result of " #f                               \
    "; it comes first, such as &x, or is NULL"
#define WSFJ_UNFIT(f, first)                                                                                           \
    _Generic((WSFJ_RESULT_POINTER(f))0, struct wsfj_no_result * : 0, default                                           \
             : _Generic(first, void * : 0, __typeof__((WSFJ_RESULT_POINTER(f))0) : 0, default : 1))
void *wsfj_unfit(void *, ...);
#else
/* The compiler itself checks pointers in C++. But there a lambda sees the frame of the function around it, and may run
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
#define WSFJ_IF_FITS(macro, f, x, ...) WSFJ_IF_TASK(f, x)
#endif

#endif
