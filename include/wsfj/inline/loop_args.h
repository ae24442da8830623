/* SPDX-License-Identifier: MIT */
/*
 * Cuts the argument lists of the loop macros.
 *
 * WS_LOOP(f, I, i, T1, a1, ...) has the name, the index, and up to 8 captured values. WSFJ_LOOP_CUT(make, extra, f, I, i,
 * T1, a1, ...) becomes make(extra, list, names, params, f, I, i) with
 *
 *   list      (, T1, a1, ...)     the captures as the task macros take them
 *   names     (, a1, ...)
 *   params    (, T1 a1, ...)
 *
 * A wrong list becomes one failed assertion. No macro is ever given an empty `...` (args.h).
 */
#ifndef WSFJ_LOOP_ARGS_H
#define WSFJ_LOOP_ARGS_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "args.h"
#include "compiler.h"

#include <stdint.h>

#define WSFJ_LOOP_CUT(make, extra, ...)                                                                                \
    WSFJ_CAT(WSFJ_LOOP_CUT_, WSFJ_ARITY(void, __VA_ARGS__))(make, extra, __VA_ARGS__)

#define WSFJ_LOOP_CUT_1(make, extra, f, I, i) make(extra, (), (), (), f, I, i)
#define WSFJ_LOOP_CUT_2(make, extra, f, I, i, A, a) make(extra, (, A, a), (, a), (, A a), f, I, i)
#define WSFJ_LOOP_CUT_3(make, extra, f, I, i, ...) WSFJ_LOOP_CUT_N(make, extra, 2, f, I, i, __VA_ARGS__)
#define WSFJ_LOOP_CUT_4(make, extra, f, I, i, ...) WSFJ_LOOP_CUT_N(make, extra, 3, f, I, i, __VA_ARGS__)
#define WSFJ_LOOP_CUT_5(make, extra, f, I, i, ...) WSFJ_LOOP_CUT_N(make, extra, 4, f, I, i, __VA_ARGS__)
#define WSFJ_LOOP_CUT_6(make, extra, f, I, i, ...) WSFJ_LOOP_CUT_N(make, extra, 5, f, I, i, __VA_ARGS__)
#define WSFJ_LOOP_CUT_7(make, extra, f, I, i, ...) WSFJ_LOOP_CUT_N(make, extra, 6, f, I, i, __VA_ARGS__)
#define WSFJ_LOOP_CUT_8(make, extra, f, I, i, ...) WSFJ_LOOP_CUT_N(make, extra, 7, f, I, i, __VA_ARGS__)
#define WSFJ_LOOP_CUT_9(make, extra, f, I, i, ...) WSFJ_LOOP_CUT_N(make, extra, 8, f, I, i, __VA_ARGS__)
#define WSFJ_LOOP_CUT_N(make, extra, k, f, I, i, ...)                                                                  \
    make(extra, (, __VA_ARGS__), (WSFJ_NAMES_##k(~, f, __VA_ARGS__)), (WSFJ_PARAMS_##k(~, f, __VA_ARGS__)), f, I, i)

#define WSFJ_LOOP_CUT_0(make, extra, f) WSFJ_LOOP_WRONG(f, ~)
#define WSFJ_LOOP_CUT_wsfj_odd(make, extra, ...) WSFJ_LOOP_WRONG(__VA_ARGS__, ~)
#define WSFJ_LOOP_WRONG(f, ...)                                                                                        \
    WSFJ_LOOP_REFUSE(f, "a loop needs the type and the name of its index, and each captured value needs a type and a " \
                        "name, with a comma between, as in WS_LOOP(f, long, i, double *, x); only WS_LOOP_GRAIN "      \
                        "has a grain, before the name: WS_LOOP_GRAIN(8, f, long, i, double *, x)")
/* A `static` before the macro needs a declaration to stand before. The user's code becomes a function that returns a
 * number or nothing, so that the compiler has no more to say of it. */
#define WSFJ_LOOP_REFUSE(f, message)                                                                                   \
    WSFJ_UNUSED long wsfj_wrong_##f(void);                                                                             \
    WSFJ_ASSERT(0, "libwsfj: " #f ": " message);                                                                       \
    WSFJ_UNUSED long wsfj_wrong_##f(void)
#define WSFJ_LOOP_CUT_10 WSFJ_LOOP_MANY
#define WSFJ_LOOP_CUT_11 WSFJ_LOOP_MANY
#define WSFJ_LOOP_CUT_12 WSFJ_LOOP_MANY
#define WSFJ_LOOP_CUT_13 WSFJ_LOOP_MANY
#define WSFJ_LOOP_CUT_14 WSFJ_LOOP_MANY
#define WSFJ_LOOP_CUT_15 WSFJ_LOOP_MANY
#define WSFJ_LOOP_CUT_16 WSFJ_LOOP_MANY
#define WSFJ_LOOP_CUT_17 WSFJ_LOOP_MANY
#define WSFJ_LOOP_CUT_18 WSFJ_LOOP_MANY
#define WSFJ_LOOP_MANY(make, extra, f, ...)                                                                            \
    WSFJ_LOOP_REFUSE(f, "a loop captures at most 8 values; put some of them into a struct")

/* The captures of a loop over two or three indices follow the last index. */
#define WSFJ_LOOP2_CUT(make, f, I, i, ...) WSFJ_LOOP_CUT(WSFJ_LOOP2_TURN, (make, I, i), f, __VA_ARGS__)
#define WSFJ_LOOP2_TURN(extra, list, names, params, f, J, j)                                                           \
    WSFJ_LOOP2_TURNED(WSFJ_UN extra, list, names, params, f, J, j)
#define WSFJ_LOOP2_TURNED(...) WSFJ_LOOP2_GO(__VA_ARGS__)
#define WSFJ_LOOP2_GO(make, I, i, list, names, params, f, J, j) make(list, names, params, f, I, i, J, j)
#define WSFJ_LOOP3_CUT(make, f, I, i, J, j, ...) WSFJ_LOOP_CUT(WSFJ_LOOP3_TURN, (make, I, i, J, j), f, __VA_ARGS__)
#define WSFJ_LOOP3_TURN(extra, list, names, params, f, K, k)                                                           \
    WSFJ_LOOP3_TURNED(WSFJ_UN extra, list, names, params, f, K, k)
#define WSFJ_LOOP3_TURNED(...) WSFJ_LOOP3_GO(__VA_ARGS__)
#define WSFJ_LOOP3_GO(make, I, i, J, j, list, names, params, f, K, k) make(list, names, params, f, I, i, J, j, K, k)

/* A loop is declared twice: in front, so that `static` covers it, and by its task. */
#define WSFJ_AGAIN_BEGIN _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wredundant-decls\"")
#define WSFJ_AGAIN_END _Pragma("GCC diagnostic pop")

/* A loop in a function would define functions there, and each costs a message. Outside of functions the name of the function is
 * empty; for g++ it is "top level", and a function whose name is as long gets the compiler's messages alone. */
#ifdef __clang__
#define WSFJ_OUTSIDE(f)                                                                                                \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpredefined-identifier-outside-function\"")  \
        WSFJ_ASSERT(__extension__ sizeof __FUNCTION__ == 1, WSFJ_OUTSIDE_SAYS(f));                                     \
    _Pragma("clang diagnostic pop")
#elif defined __cplusplus
#define WSFJ_OUTSIDE(f) WSFJ_ASSERT(__extension__ sizeof __FUNCTION__ == sizeof "top level", WSFJ_OUTSIDE_SAYS(f));
#else
#define WSFJ_OUTSIDE(f) WSFJ_ASSERT(__extension__ sizeof __FUNCTION__ == 1, WSFJ_OUTSIDE_SAYS(f));
#endif
#define WSFJ_OUTSIDE_SAYS(f) "libwsfj: " #f ": a loop is defined outside of functions"

/* A loop over a floating type would count with whole numbers, and leave iterations out. */
#define WSFJ_INDEX(f, I)                                                                                               \
    WSFJ_OUTSIDE(f)                                                                                                    \
    WSFJ_ASSERT(__builtin_classify_type((I)0) != 8,                                                                    \
                "libwsfj: " #f ": the index of a loop is of an integer type, and not of " #I)

/** The iterations from `lo` to `hi`. Unsigned, so that no type of index overflows. */
#define WSFJ_LOOP_COUNT(lo, hi) ((lo) < (hi) ? (uint64_t)(hi) - (uint64_t)(lo) : (uint64_t)0)

#endif
