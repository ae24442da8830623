/* SPDX-License-Identifier: MIT */
/*
 * Argument lists of the task macros.
 *
 * WS_TASK(long, f, int, a, char *, b) receives types and names in turn. This file counts them, cuts the list into
 * pieces and hands these to WSFJ_TASK_2 of task.h or serial.h; ws_spawn(f, &x, n) becomes WSFJ_SPAWN_1 of spawn.h or
 * serial.h, WSFJ_SPAWN_0 if nothing follows the name. It declares nothing.
 *
 *   piece             two parameters              none
 *   WSFJ_PROTO        (int a, char * b)           (void)
 *   WSFJ_PARAMS       , int a, char * b           (empty)
 *   WSFJ_NAMES        , a, b                      (empty)
 *   WSFJ_PASS         (a, b)                      ()
 *   WSFJ_FIELDS       int a; char * b;            char wsfj_none;
 *   WSFJ_STORES       p->a = a; p->b = b;         (empty)
 *   WSFJ_LOADS        , p.a, p.b                  (empty)
 *
 * No macro is ever given an empty `...`: clang -Wpedantic refuses that in C++.
 */
#ifndef WSFJ_ARGS_H
#define WSFJ_ARGS_H

#define WSFJ_CAT_(a, b) a##b
#define WSFJ_CAT(a, b) WSFJ_CAT_(a, b)

/* WSFJ_ARITY(result, name, T1, a1, ...): the number of parameters 0..8; `wsfj_odd` for a type without a name. */
#define WSFJ_PICK19(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, n, ...) n
#define WSFJ_ARITY(...)                                                                                                \
    WSFJ_PICK19(__VA_ARGS__, 8, wsfj_odd, 7, wsfj_odd, 6, wsfj_odd, 5, wsfj_odd, 4, wsfj_odd, 3, wsfj_odd, 2,          \
                wsfj_odd, 1, wsfj_odd, 0, wsfj_odd, ~)

/* WSFJ_MORE(f): 0; WSFJ_MORE(f, ...): 1. At most nine arguments may follow the task's name. Digits: a user may have a
 * macro of any name. */
#define WSFJ_PICK11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, n, ...) n
#define WSFJ_MORE(...) WSFJ_PICK11(__VA_ARGS__, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, ~)

/* The first argument of a list that has more than one. */
#define WSFJ_FIRST(a, ...) a

#define WSFJ_PROTO(k, ...) WSFJ_CAT(WSFJ_PROTO_, k)(__VA_ARGS__)
#define WSFJ_PROTO_wsfj_odd(...) _Pragma("GCC error \"libwsfj: each parameter of a task needs a type and a name\"")
#define WSFJ_PROTO_0(R, f) (void)
#define WSFJ_PROTO_1(R, f, A, a) (A a)
#define WSFJ_PROTO_2(R, f, A, a, B, b) (A a, B b)
#define WSFJ_PROTO_3(R, f, A, a, B, b, C, c) (A a, B b, C c)
#define WSFJ_PROTO_4(R, f, A, a, B, b, C, c, D, d) (A a, B b, C c, D d)
#define WSFJ_PROTO_5(R, f, A, a, B, b, C, c, D, d, E, e) (A a, B b, C c, D d, E e)
#define WSFJ_PROTO_6(R, f, A, a, B, b, C, c, D, d, E, e, G, g) (A a, B b, C c, D d, E e, G g)
#define WSFJ_PROTO_7(R, f, A, a, B, b, C, c, D, d, E, e, G, g, H, h) (A a, B b, C c, D d, E e, G g, H h)
#define WSFJ_PROTO_8(R, f, A, a, B, b, C, c, D, d, E, e, G, g, H, h, I, i) (A a, B b, C c, D d, E e, G g, H h, I i)

#define WSFJ_PARAMS(k, ...) WSFJ_CAT(WSFJ_PARAMS_, k)(__VA_ARGS__)
#define WSFJ_PARAMS_0(R, f)
#define WSFJ_PARAMS_1(R, f, A, a) , A a
#define WSFJ_PARAMS_2(R, f, A, a, B, b) , A a, B b
#define WSFJ_PARAMS_3(R, f, A, a, B, b, C, c) , A a, B b, C c
#define WSFJ_PARAMS_4(R, f, A, a, B, b, C, c, D, d) , A a, B b, C c, D d
#define WSFJ_PARAMS_5(R, f, A, a, B, b, C, c, D, d, E, e) , A a, B b, C c, D d, E e
#define WSFJ_PARAMS_6(R, f, A, a, B, b, C, c, D, d, E, e, G, g) , A a, B b, C c, D d, E e, G g
#define WSFJ_PARAMS_7(R, f, A, a, B, b, C, c, D, d, E, e, G, g, H, h) , A a, B b, C c, D d, E e, G g, H h
#define WSFJ_PARAMS_8(R, f, A, a, B, b, C, c, D, d, E, e, G, g, H, h, I, i) , A a, B b, C c, D d, E e, G g, H h, I i

#define WSFJ_NAMES(k, ...) WSFJ_CAT(WSFJ_NAMES_, k)(__VA_ARGS__)
#define WSFJ_NAMES_0(R, f)
#define WSFJ_NAMES_1(R, f, A, a) , a
#define WSFJ_NAMES_2(R, f, A, a, B, b) , a, b
#define WSFJ_NAMES_3(R, f, A, a, B, b, C, c) , a, b, c
#define WSFJ_NAMES_4(R, f, A, a, B, b, C, c, D, d) , a, b, c, d
#define WSFJ_NAMES_5(R, f, A, a, B, b, C, c, D, d, E, e) , a, b, c, d, e
#define WSFJ_NAMES_6(R, f, A, a, B, b, C, c, D, d, E, e, G, g) , a, b, c, d, e, g
#define WSFJ_NAMES_7(R, f, A, a, B, b, C, c, D, d, E, e, G, g, H, h) , a, b, c, d, e, g, h
#define WSFJ_NAMES_8(R, f, A, a, B, b, C, c, D, d, E, e, G, g, H, h, I, i) , a, b, c, d, e, g, h, i

#define WSFJ_PASS(k, ...) WSFJ_CAT(WSFJ_PASS_, k)(__VA_ARGS__)
#define WSFJ_PASS_0(R, f) ()
#define WSFJ_PASS_1(R, f, A, a) (a)
#define WSFJ_PASS_2(R, f, A, a, B, b) (a, b)
#define WSFJ_PASS_3(R, f, A, a, B, b, C, c) (a, b, c)
#define WSFJ_PASS_4(R, f, A, a, B, b, C, c, D, d) (a, b, c, d)
#define WSFJ_PASS_5(R, f, A, a, B, b, C, c, D, d, E, e) (a, b, c, d, e)
#define WSFJ_PASS_6(R, f, A, a, B, b, C, c, D, d, E, e, G, g) (a, b, c, d, e, g)
#define WSFJ_PASS_7(R, f, A, a, B, b, C, c, D, d, E, e, G, g, H, h) (a, b, c, d, e, g, h)
#define WSFJ_PASS_8(R, f, A, a, B, b, C, c, D, d, E, e, G, g, H, h, I, i) (a, b, c, d, e, g, h, i)

#define WSFJ_FIELDS(k, ...) WSFJ_CAT(WSFJ_FIELDS_, k)(__VA_ARGS__)
#define WSFJ_FIELDS_0(R, f) char wsfj_none;
/* clang-format off */
#define WSFJ_FIELDS_1(R, f, A, a) A a;
#define WSFJ_FIELDS_2(R, f, A, a, ...) A a; WSFJ_FIELDS_1(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_3(R, f, A, a, ...) A a; WSFJ_FIELDS_2(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_4(R, f, A, a, ...) A a; WSFJ_FIELDS_3(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_5(R, f, A, a, ...) A a; WSFJ_FIELDS_4(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_6(R, f, A, a, ...) A a; WSFJ_FIELDS_5(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_7(R, f, A, a, ...) A a; WSFJ_FIELDS_6(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_8(R, f, A, a, ...) A a; WSFJ_FIELDS_7(R, f, __VA_ARGS__)

#define WSFJ_STORES(k, p, ...) WSFJ_CAT(WSFJ_STORES_, k)(p, __VA_ARGS__)
#define WSFJ_STORES_0(p, R, f) (void)p;
#define WSFJ_STORES_1(p, R, f, A, a) p->a = a;
#define WSFJ_STORES_2(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_1(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_3(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_2(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_4(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_3(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_5(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_4(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_6(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_5(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_7(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_6(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_8(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_7(p, R, f, __VA_ARGS__)

/* clang-format on */
#define WSFJ_LOADS(k, p, ...) WSFJ_CAT(WSFJ_LOADS_, k)(p, __VA_ARGS__)
#define WSFJ_LOADS_0(p, R, f)
#define WSFJ_LOADS_1(p, R, f, A, a) , p.a
#define WSFJ_LOADS_2(p, R, f, A, a, ...) , p.a WSFJ_LOADS_1(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_3(p, R, f, A, a, ...) , p.a WSFJ_LOADS_2(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_4(p, R, f, A, a, ...) , p.a WSFJ_LOADS_3(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_5(p, R, f, A, a, ...) , p.a WSFJ_LOADS_4(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_6(p, R, f, A, a, ...) , p.a WSFJ_LOADS_5(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_7(p, R, f, A, a, ...) , p.a WSFJ_LOADS_6(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_8(p, R, f, A, a, ...) , p.a WSFJ_LOADS_7(p, R, f, __VA_ARGS__)

#define WSFJ_UN(...) __VA_ARGS__
#define WSFJ_UNUSED __attribute__((__unused__))
/* Takes the semicolon after a macro that needs none. */
#ifdef __cplusplus
#define WSFJ_NOTHING static_assert(true, "")
#else
#define WSFJ_NOTHING _Static_assert(1, "")
#endif
#define WSFJ_ALWAYS __attribute__((__always_inline__))
#define WSFJ_OUTLINE static __attribute__((__noinline__, __cold__, __unused__))
/* In C, an inline definition after a plain declaration is emitted for other files too; C++ needs an attribute. */
#ifdef __cplusplus
#define WSFJ_SHARED __attribute__((__used__)) inline
#elif defined __clang__ /* inlines global functions anyway, and warns of static ones in an inline one */
#define WSFJ_SHARED __attribute__((__unused__))
#else
#define WSFJ_SHARED __attribute__((__unused__)) inline
#endif

#define WS_TASK(...) WSFJ_TASK_1(WSFJ_ARITY(__VA_ARGS__), __VA_ARGS__)
#define WSFJ_TASK_1(k, ...) WSFJ_SPREAD(WSFJ_TASK_2, k, __VA_ARGS__)
#define WS_TASK_VOID(...) WSFJ_TASK_VOID_1(WSFJ_ARITY(void, __VA_ARGS__), void, __VA_ARGS__)
#define WSFJ_TASK_VOID_1(k, ...) WSFJ_SPREAD(WSFJ_TASK_VOID_2, k, __VA_ARGS__)
#define WS_DECLARE(...) WSFJ_DECLARE_1(WSFJ_ARITY(__VA_ARGS__), __VA_ARGS__)
#define WSFJ_DECLARE_1(k, ...) WSFJ_SPREAD(WSFJ_DECLARE_2, k, __VA_ARGS__)
#define WS_DECLARE_VOID(...) WSFJ_DECLARE_VOID_1(WSFJ_ARITY(void, __VA_ARGS__), void, __VA_ARGS__)
#define WSFJ_DECLARE_VOID_1(k, ...) WSFJ_SPREAD(WSFJ_DECLARE_VOID_2, k, __VA_ARGS__)
#define WS_SPAWNABLE(...) WSFJ_SPAWNABLE_1(WSFJ_ARITY(__VA_ARGS__), __VA_ARGS__)
#define WSFJ_SPAWNABLE_1(k, ...) WSFJ_SPREAD(WSFJ_SPAWNABLE_2, k, __VA_ARGS__)
#define WS_SPAWNABLE_VOID(...) WSFJ_SPAWNABLE_VOID_1(WSFJ_ARITY(void, __VA_ARGS__), void, __VA_ARGS__)
#define WSFJ_SPAWNABLE_VOID_1(k, ...) WSFJ_SPREAD(WSFJ_SPAWNABLE_VOID_2, k, __VA_ARGS__)

/* The task's name alone, or with arguments. */
#define ws_spawn(...) WSFJ_CAT(WSFJ_SPAWN_, WSFJ_MORE(__VA_ARGS__))(__VA_ARGS__)
#define ws_call(...) WSFJ_CAT(WSFJ_CALL_, WSFJ_MORE(__VA_ARGS__))(__VA_ARGS__)
#define ws_run(...) WSFJ_CAT(WSFJ_RUN_, WSFJ_MORE(__VA_ARGS__))(__VA_ARGS__)

/* Cuts the list (R, f, T1, a1, ...) and hands the pieces to `macro`, those with commas in parentheses. */
#define WSFJ_SPREAD(macro, k, ...)                                                                                     \
    macro(WSFJ_PROTO(k, __VA_ARGS__), (WSFJ_PARAMS(k, __VA_ARGS__)), (WSFJ_NAMES(k, __VA_ARGS__)),                     \
          WSFJ_PASS(k, __VA_ARGS__), (WSFJ_FIELDS(k, __VA_ARGS__)), (WSFJ_STORES(k, wsfj_p, __VA_ARGS__)),             \
          (WSFJ_LOADS(k, wsfj_c, __VA_ARGS__)), __VA_ARGS__, ~)

#ifdef __cplusplus
#define WSFJ_CHECK_RESULT(f, ...) (void)0
#else
/* A wrong result pointer is an error, not a warning; tasks without a result (push returns void *) have none. */
#define WSFJ_CHECK_RESULT(f, ...)                                                                                      \
    _Static_assert(WSFJ_SAME(WSFJ_PUSH_TYPE_1(f, __VA_ARGS__), void *) ||                                              \
                       WSFJ_SAME(WSFJ_FIRST(__VA_ARGS__, ~), void *) ||                                                \
                       WSFJ_SAME(WSFJ_FIRST(__VA_ARGS__, ~), __typeof__(WSFJ_PUSH_TYPE_1(f, __VA_ARGS__))),            \
                   "ws_spawn: the result pointer does not fit the result of " #f)
#define WSFJ_SAME(expression, type) __builtin_types_compatible_p(__typeof__(expression), type)
#endif

#endif
