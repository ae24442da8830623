/* SPDX-License-Identifier: MIT */
/*
 * What the task macros begin with: the form of a definition, and messages for what is no definition.
 *
 * WS_TASK, WS_DECLARE and WS_SPAWNABLE count their arguments and become, for example,
 *
 *   WSFJ_TASK_wsfj_right   the definition; args.h cuts the list, and task.h, serial.h or profile.h defines WSFJ_TASK_2
 *   WSFJ_TASK_wsfj_void    WS_TASK(void, ...)
 *   WSFJ_TASK_wsfj_names   a parameter without a type, a name, or a comma between
 *   WSFJ_TASK_wsfj_many    17 or 18 parameters
 *
 * A wrong form says so with one failed assertion. It also declares what a right one would have declared, so that the
 * compiler reports nothing else.
 *
 * The macros with ten parameters or more. PIECES are those of args.h and what follows them: proto, params, names, pass,
 * fields, stores, loads, sizes, plain, R, f, ~. All but R, f and ~ are in parentheses, which WSFJ_UN takes off. LIST is
 * list, names, params of a loop's captures: (, int, a), (, a), (, int a).
 *
 *   macro                      parameters                              for example
 *   WSFJ_DECLARE_2             PIECES                                  WS_DECLARE(long, f, int, a)
 *   WSFJ_DECLARE_VOID_2        PIECES                                  WS_DECLARE_VOID(f, int, a)
 *   WSFJ_TASK_2                PIECES                                  WS_TASK(long, f, int, a) { ... }
 *   WSFJ_TASK_VOID_2           PIECES                                  WS_TASK_VOID(f, int, a) { ... }
 *   WSFJ_SPAWNABLE_2           PIECES                                  WS_SPAWNABLE(long, f, int, a)
 *   WSFJ_SPAWNABLE_VOID_2      PIECES                                  WS_SPAWNABLE_VOID(f, int, a)
 *   WSFJ_TASK_3                loop, PIECES                            the same, loop (NULL, 0)
 *   WSFJ_TASK_VOID_3           loop, PIECES                            the same; a loop: (&wsfj_site_f, 0)
 *   WSFJ_LOOP_VOID_2           PIECES                                  the task of WS_LOOP(f, int, i) { ... }
 *   WSFJ_LOOP_VALUE_2          PIECES                                  the task of WS_TRY(f, int, i) { ... }
 *   WSFJ_LOOP_KEPT_2           PIECES                                  the task of WS_REDUCE_ANY(long, 0, add, f, int, i)
 *   WSFJ_HELPERS               loop, shared, params, names, fields,    (NULL, 0), static inline, (, int a), (, a),
 *                              stores, loads, sizes, R, f              (int a;), (p->a = a;), (, p->a), ..., long, f
 *   WSFJ_RACED                 shared, params, names, fields, stores,  static, (, int a), (, a), (int a;), (p->a = a;),
 *                              loads, R, f, begin, call, end           (, p->a), long, f, , f (a),
 *   WSFJ_RACED_VOID            the same without R                      WS_TASK_VOID with -DWSFJ_RACE
 *   WSFJ_FOLD_MAKE_2           R, size, init, merge, A, acc, LIST,     WS_FOLD(long, zero, add, f, long *, sum, int, i)
 *                              f, I, i
 *   WSFJ_FOLD_TASKS            R, size, init, merge, A, LIST, f, I     the same
 *   WSFJ_LOOP3_MAKE            LIST, f, I, i, J, j, K, k               WS_LOOP3(f, int, i, int, j, int, k)
 *   WSFJ_LOOP3_GO              make, I, i, J, j, LIST, f, K, k         the same; make: WSFJ_LOOP3_MAKE
 *   WSFJ_REDUCE_RACED          R, id, op, leaf, LIST, f, I, i          WS_REDUCE(long, 0, add, f, int, i)
 *   WSFJ_REDUCE_PROFILED       R, id, op, range, LIST, f, I, i         the same with -DWSFJ_PROFILE
 *   WSFJ_PICK26, WSFJ_PICK39   a1 to a25 or a38, n, ...                WSFJ_ARITY(long, f, int, a) is 1
 *
 * Serial, profiled and raced programs have DECLARE, TASK and SPAWNABLE of their own, with the same parameters.
 */
#ifndef WSFJ_FORMS_H
#define WSFJ_FORMS_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "args.h"
#include "compiler.h"

/** Defines a task, a function that returns R: @ref task_macros. */
#define WS_TASK(...) WSFJ_FORM(WSFJ_TASK_, WSFJ_ARITY(__VA_ARGS__), __VA_ARGS__)
/** Declares a task that returns R. */
#define WS_DECLARE(...) WSFJ_FORM(WSFJ_DECLARE_, WSFJ_ARITY(__VA_ARGS__), __VA_ARGS__)
/** Makes an existing function that returns R spawnable in this file. */
#define WS_SPAWNABLE(...) WSFJ_FORM(WSFJ_SPAWNABLE_, WSFJ_ARITY(__VA_ARGS__), __VA_ARGS__)
/** Defines a task without a result. */
#define WS_TASK_VOID(...) WSFJ_FORM_VOID(WSFJ_TASK_VOID_, WSFJ_ARITY(void, __VA_ARGS__), __VA_ARGS__)
/** Declares a task without a result. */
#define WS_DECLARE_VOID(...) WSFJ_FORM_VOID(WSFJ_DECLARE_VOID_, WSFJ_ARITY(void, __VA_ARGS__), __VA_ARGS__)
/** Makes an existing function without a result spawnable in this file. */
#define WS_SPAWNABLE_VOID(...) WSFJ_FORM_VOID(WSFJ_SPAWNABLE_VOID_, WSFJ_ARITY(void, __VA_ARGS__), __VA_ARGS__)

#define WSFJ_FORM(macro, k, ...) WSFJ_CAT(macro, WSFJ_WHICH(k, __VA_ARGS__, wsfj_x, wsfj_x, wsfj_x))(k, __VA_ARGS__)
#define WSFJ_FORM_VOID(macro, k, ...)                                                                                  \
    WSFJ_CAT(macro, WSFJ_WHICH(k, wsfj_x, __VA_ARGS__, wsfj_x, wsfj_x, wsfj_x))(k, void, __VA_ARGS__)

/* wsfj_right, or what is wrong: each of the three below is one word, or begins with ~ and the word that replaces
 * wsfj_right. Only the first name is looked at, and only the usual types are known. */
#define WSFJ_WHICH(k, R, f, T, a, ...) WSFJ_SECOND(WSFJ_COUNTED_##k WSFJ_TYPE_##a WSFJ_RESULT_##R(~), wsfj_right, ~)
#define WSFJ_RESULT_void(x) ~, wsfj_void,
#define WSFJ_COUNTED_wsfj_odd ~, wsfj_names,
#define WSFJ_COUNTED_17 ~, wsfj_many,
#define WSFJ_COUNTED_18 ~, wsfj_many,
#define WSFJ_TYPE_int ~, wsfj_names,
#define WSFJ_TYPE_char ~, wsfj_names,
#define WSFJ_TYPE_short ~, wsfj_names,
#define WSFJ_TYPE_long ~, wsfj_names,
#define WSFJ_TYPE_unsigned ~, wsfj_names,
#define WSFJ_TYPE_signed ~, wsfj_names,
#define WSFJ_TYPE_float ~, wsfj_names,
#define WSFJ_TYPE_double ~, wsfj_names,
#define WSFJ_TYPE_void ~, wsfj_names,
#define WSFJ_TYPE_const ~, wsfj_names,
#define WSFJ_TYPE_volatile ~, wsfj_names,
#define WSFJ_TYPE_struct ~, wsfj_names,
#define WSFJ_TYPE_union ~, wsfj_names,
#define WSFJ_TYPE_enum ~, wsfj_names,
#define WSFJ_TYPE__Bool ~, wsfj_names,
#define WSFJ_TYPE_bool ~, wsfj_names,
#define WSFJ_TYPE_size_t ~, wsfj_names,
#define WSFJ_TYPE_ssize_t ~, wsfj_names,
#define WSFJ_TYPE_ptrdiff_t ~, wsfj_names,
#define WSFJ_TYPE_int8_t ~, wsfj_names,
#define WSFJ_TYPE_int16_t ~, wsfj_names,
#define WSFJ_TYPE_int32_t ~, wsfj_names,
#define WSFJ_TYPE_int64_t ~, wsfj_names,
#define WSFJ_TYPE_uint8_t ~, wsfj_names,
#define WSFJ_TYPE_uint16_t ~, wsfj_names,
#define WSFJ_TYPE_uint32_t ~, wsfj_names,
#define WSFJ_TYPE_uint64_t ~, wsfj_names,
#define WSFJ_TYPE_intptr_t ~, wsfj_names,
#define WSFJ_TYPE_uintptr_t ~, wsfj_names,
#define WSFJ_TYPE_FILE ~, wsfj_names,
/* The right forms. */
#define WSFJ_TASK_wsfj_right(k, ...) WSFJ_SPREAD(WSFJ_TASK_2, k, __VA_ARGS__)
#define WSFJ_DECLARE_wsfj_right(k, ...) WSFJ_SPREAD(WSFJ_DECLARE_2, k, __VA_ARGS__)
#define WSFJ_SPAWNABLE_wsfj_right(k, ...) WSFJ_SPREAD(WSFJ_SPAWNABLE_2, k, __VA_ARGS__)
#define WSFJ_TASK_VOID_wsfj_right(k, ...) WSFJ_SPREAD(WSFJ_TASK_VOID_2, k, __VA_ARGS__)
#define WSFJ_DECLARE_VOID_wsfj_right(k, ...) WSFJ_SPREAD(WSFJ_DECLARE_VOID_2, k, __VA_ARGS__)
#define WSFJ_SPAWNABLE_VOID_wsfj_right(k, ...) WSFJ_SPREAD(WSFJ_SPAWNABLE_VOID_2, k, __VA_ARGS__)

#define WSFJ_TASK_wsfj_void(k, R, ...)                                                                                 \
    WSFJ_DECLARE_VOID_wsfj_right(k, void, __VA_ARGS__);                                                                \
    WSFJ_NO_RESULT(WS_TASK, __VA_ARGS__, ~);                                                                           \
    WSFJ_TASK_VOID_wsfj_right(k, void, __VA_ARGS__)
#define WSFJ_DECLARE_wsfj_void(k, R, ...)                                                                              \
    WSFJ_DECLARE_VOID_wsfj_right(k, void, __VA_ARGS__);                                                                \
    WSFJ_NO_RESULT(WS_DECLARE, __VA_ARGS__, ~)
#define WSFJ_SPAWNABLE_wsfj_void(k, R, ...)                                                                            \
    WSFJ_NO_RESULT(WS_SPAWNABLE, __VA_ARGS__, ~);                                                                      \
    WSFJ_SPAWNABLE_VOID_wsfj_right(k, void, __VA_ARGS__)
#define WSFJ_NO_RESULT(macro, f, ...)                                                                                  \
    WSFJ_ASSERT(0, "libwsfj: " #macro "(void, " #f ", ...): a task without a result is " #macro "_VOID(" #f ", ...)")

/* A list such as `int a, int b` is a list of parameters as it stands. */
#define WSFJ_NAMES_MESSAGE(list)                                                                                       \
    WSFJ_ASSERT(0, "libwsfj: " list ": each parameter needs a type and a name, with a comma between, as in "           \
                   "WS_TASK(int, f, int, a, int, b)")
#define WSFJ_WRONG(message, declare, ...) WSFJ_WRONG_(message, declare, __VA_ARGS__)
#define WSFJ_WRONG_(message, declare, proto, params, R, f)                                                             \
    declare(proto, params, ~, ~, ~, ~, ~, ~, ~, R, f, ~);                                                              \
    message(#R ", " #f)

#define WSFJ_TASK_wsfj_names(k, R, f, ...)                                                                             \
    WSFJ_WRONG(WSFJ_NAMES_MESSAGE, WSFJ_DECLARE_2, (__VA_ARGS__), (, __VA_ARGS__), R, f);                              \
    WSFJ_BODY(__typeof__(R), f, (__VA_ARGS__), (, __VA_ARGS__))
#define WSFJ_DECLARE_wsfj_names(k, R, f, ...)                                                                          \
    WSFJ_WRONG(WSFJ_NAMES_MESSAGE, WSFJ_DECLARE_2, (__VA_ARGS__), (, __VA_ARGS__), R, f)
#define WSFJ_SPAWNABLE_wsfj_names WSFJ_DECLARE_wsfj_names
#define WSFJ_TASK_VOID_wsfj_names(k, R, f, ...)                                                                        \
    WSFJ_WRONG(WSFJ_NAMES_MESSAGE, WSFJ_DECLARE_VOID_2, (__VA_ARGS__), (, __VA_ARGS__), void, f);                      \
    WSFJ_BODY(void, f, (__VA_ARGS__), (, __VA_ARGS__))
#define WSFJ_DECLARE_VOID_wsfj_names(k, R, f, ...)                                                                     \
    WSFJ_WRONG(WSFJ_NAMES_MESSAGE, WSFJ_DECLARE_VOID_2, (__VA_ARGS__), (, __VA_ARGS__), void, f)
#define WSFJ_SPAWNABLE_VOID_wsfj_names WSFJ_DECLARE_VOID_wsfj_names

#define WSFJ_MANY_MESSAGE(list)                                                                                        \
    WSFJ_ASSERT(0, "libwsfj: " list ": a task has at most 16 parameters; put some of them into a struct")
#define WSFJ_TASK_wsfj_many(k, R, f, ...)                                                                              \
    WSFJ_WRONG(WSFJ_MANY_MESSAGE, WSFJ_DECLARE_2, WSFJ_PROTO(k, R, f, __VA_ARGS__),                                    \
               (WSFJ_PARAMS(k, R, f, __VA_ARGS__)), R, f);                                                             \
    WSFJ_BODY(__typeof__(R), f, WSFJ_PROTO(k, R, f, __VA_ARGS__), (WSFJ_PARAMS(k, R, f, __VA_ARGS__)))
#define WSFJ_DECLARE_wsfj_many(k, R, f, ...)                                                                           \
    WSFJ_WRONG(WSFJ_MANY_MESSAGE, WSFJ_DECLARE_2, WSFJ_PROTO(k, R, f, __VA_ARGS__),                                    \
               (WSFJ_PARAMS(k, R, f, __VA_ARGS__)), R, f)
#define WSFJ_SPAWNABLE_wsfj_many WSFJ_DECLARE_wsfj_many
#define WSFJ_TASK_VOID_wsfj_many(k, R, f, ...)                                                                         \
    WSFJ_WRONG(WSFJ_MANY_MESSAGE, WSFJ_DECLARE_VOID_2, WSFJ_PROTO(k, R, f, __VA_ARGS__),                               \
               (WSFJ_PARAMS(k, R, f, __VA_ARGS__)), void, f);                                                          \
    WSFJ_BODY(void, f, WSFJ_PROTO(k, R, f, __VA_ARGS__), (WSFJ_PARAMS(k, R, f, __VA_ARGS__)))
#define WSFJ_DECLARE_VOID_wsfj_many(k, R, f, ...)                                                                      \
    WSFJ_WRONG(WSFJ_MANY_MESSAGE, WSFJ_DECLARE_VOID_2, WSFJ_PROTO(k, R, f, __VA_ARGS__),                               \
               (WSFJ_PARAMS(k, R, f, __VA_ARGS__)), void, f)
#define WSFJ_SPAWNABLE_VOID_wsfj_many WSFJ_DECLARE_VOID_wsfj_many

/* What a spawn looks up first: the type of the task's result pointer, under a name that is a message when there is no
 * such task. */
#define WSFJ_RESULT_POINTER(f) wsfj_##f##_is_not_declared_as_a_task__use_WS_DECLARE_or_WS_SPAWNABLE

/* The task's name alone, or with arguments. */
/** Says that a call of a task may run in parallel with the code that follows: @ref task_macros. */
#define ws_spawn(...) WSFJ_MORE(WSFJ_SPAWN_0, WSFJ_SPAWN_1, __VA_ARGS__)(__VA_ARGS__)
/** ws_spawn(f, ...) if the condition holds, else a call. */
#define ws_spawn_if(condition, ...) WSFJ_MORE(WSFJ_SPAWN_IF_0, WSFJ_SPAWN_IF_1, __VA_ARGS__)(condition, __VA_ARGS__)
/** Calls a task, a little faster than a plain call. */
#define ws_call(...) WSFJ_MORE(WSFJ_CALL_0, WSFJ_CALL_1, __VA_ARGS__)(__VA_ARGS__)
/** Runs a task from any thread and returns when it is done. Value: 0 or an error (@ref task_macros). */
#define ws_run(...) WSFJ_MORE(WSFJ_RUN_0, WSFJ_RUN_1, __VA_ARGS__)(__VA_ARGS__)

#endif
