/* SPDX-License-Identifier: MIT */
/*
 * Argument lists of the task macros.
 *
 * WS_TASK(long, f, int, a, char *, b) receives types and names in turn. This file counts them, cuts the list into
 * pieces and hands these to a macro; forms.h chooses the macro. It declares nothing.
 *
 *   piece             two parameters              none
 *   WSFJ_PROTO        (int a, char * b)           (void)
 *   WSFJ_PARAMS       , int a, char * b           (empty)
 *   WSFJ_NAMES        , a, b                      (empty)
 *   WSFJ_PASS         (a, b)                      ()
 *   WSFJ_FIELDS       int a; char * b;            char wsfj_none;
 *   WSFJ_STORES       p->a = a; p->b = b;         (empty)
 *   WSFJ_LOADS        , p->a, p->b                (empty)
 *   WSFJ_FIELD_SIZES  + sizeof(p->a) + sizeof(p->b)    + 1     (that of the struct, unless a name is `b[3]`)
 *   WSFJ_PLAIN        C++: && wsfj_plain<int>::wsfj_is && wsfj_plain<char *>::wsfj_is       (empty)
 *
 * No macro is ever given an empty `...`: clang -Wpedantic refuses that in C++.
 */
#ifndef WSFJ_ARGS_H
#define WSFJ_ARGS_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#define WSFJ_CAT_(a, b) a##b
#define WSFJ_CAT(a, b) WSFJ_CAT_(a, b)
#define WSFJ_UN(...) __VA_ARGS__
#define WSFJ_TEXT_(...) #__VA_ARGS__
#define WSFJ_TEXT(...) WSFJ_TEXT_(__VA_ARGS__)

/* A list that begins with a comma, without that comma. */
#define WSFJ_REST_(empty, ...) __VA_ARGS__
#define WSFJ_REST(...) WSFJ_REST_(__VA_ARGS__)

/* The first and the second argument of a list that has more. */
#define WSFJ_FIRST(a, ...) a
#define WSFJ_SECOND_(a, b, ...) b
#define WSFJ_SECOND(...) WSFJ_SECOND_(__VA_ARGS__)

/* clang-format off */
/* WSFJ_ARITY(result, name, T1, a1, ...): the number of parameters, 0 to 16; wsfj_odd if a type or a name is missing; 17
 * and 18 are too many, but can be named in a message (forms.h). */
#define WSFJ_PICK39(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, n, ...) n
#define WSFJ_ARITY(...) WSFJ_PICK39(__VA_ARGS__, 18, wsfj_odd, 17, wsfj_odd, 16, wsfj_odd, 15, wsfj_odd, 14, wsfj_odd, 13, wsfj_odd, 12, wsfj_odd, 11, wsfj_odd, 10, wsfj_odd, 9, wsfj_odd, 8, wsfj_odd, 7, wsfj_odd, 6, wsfj_odd, 5, wsfj_odd, 4, wsfj_odd, 3, wsfj_odd, 2, wsfj_odd, 1, wsfj_odd, 0, ~)

/* The 26th of a list: WSFJ_MORE(zero, one, f) is `zero`, and `one` if up to 24 pieces follow f. A compound literal is one
 * piece for each comma in it. */
#define WSFJ_PICK26(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, n, ...) n
#define WSFJ_MORE(zero, one, ...) WSFJ_PICK26(__VA_ARGS__, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, zero, ~)

/* The number of arguments, 1 to 25; an empty one counts, too. */
#define WSFJ_NUMBER(...) WSFJ_PICK26(__VA_ARGS__, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)

#define WSFJ_PROTO(k, ...) WSFJ_PROTO_##k(__VA_ARGS__)
#define WSFJ_PROTO_0(R, f) (void)
#define WSFJ_PROTO_1(R, f, A, a) (A a)
#define WSFJ_PROTO_2(R, f, A, a, ...) (A a WSFJ_PARAMS_1(R, f, __VA_ARGS__))
#define WSFJ_PROTO_3(R, f, A, a, ...) (A a WSFJ_PARAMS_2(R, f, __VA_ARGS__))
#define WSFJ_PROTO_4(R, f, A, a, ...) (A a WSFJ_PARAMS_3(R, f, __VA_ARGS__))
#define WSFJ_PROTO_5(R, f, A, a, ...) (A a WSFJ_PARAMS_4(R, f, __VA_ARGS__))
#define WSFJ_PROTO_6(R, f, A, a, ...) (A a WSFJ_PARAMS_5(R, f, __VA_ARGS__))
#define WSFJ_PROTO_7(R, f, A, a, ...) (A a WSFJ_PARAMS_6(R, f, __VA_ARGS__))
#define WSFJ_PROTO_8(R, f, A, a, ...) (A a WSFJ_PARAMS_7(R, f, __VA_ARGS__))
#define WSFJ_PROTO_9(R, f, A, a, ...) (A a WSFJ_PARAMS_8(R, f, __VA_ARGS__))
#define WSFJ_PROTO_10(R, f, A, a, ...) (A a WSFJ_PARAMS_9(R, f, __VA_ARGS__))
#define WSFJ_PROTO_11(R, f, A, a, ...) (A a WSFJ_PARAMS_10(R, f, __VA_ARGS__))
#define WSFJ_PROTO_12(R, f, A, a, ...) (A a WSFJ_PARAMS_11(R, f, __VA_ARGS__))
#define WSFJ_PROTO_13(R, f, A, a, ...) (A a WSFJ_PARAMS_12(R, f, __VA_ARGS__))
#define WSFJ_PROTO_14(R, f, A, a, ...) (A a WSFJ_PARAMS_13(R, f, __VA_ARGS__))
#define WSFJ_PROTO_15(R, f, A, a, ...) (A a WSFJ_PARAMS_14(R, f, __VA_ARGS__))
#define WSFJ_PROTO_16(R, f, A, a, ...) (A a WSFJ_PARAMS_15(R, f, __VA_ARGS__))
#define WSFJ_PROTO_17(R, f, A, a, ...) (A a WSFJ_PARAMS_16(R, f, __VA_ARGS__))
#define WSFJ_PROTO_18(R, f, A, a, ...) (A a WSFJ_PARAMS_17(R, f, __VA_ARGS__))

#define WSFJ_PARAMS(k, ...) WSFJ_PARAMS_##k(__VA_ARGS__)
#define WSFJ_PARAMS_0(R, f)
#define WSFJ_PARAMS_1(R, f, A, a) , A a
#define WSFJ_PARAMS_2(R, f, A, a, ...) , A a WSFJ_PARAMS_1(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_3(R, f, A, a, ...) , A a WSFJ_PARAMS_2(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_4(R, f, A, a, ...) , A a WSFJ_PARAMS_3(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_5(R, f, A, a, ...) , A a WSFJ_PARAMS_4(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_6(R, f, A, a, ...) , A a WSFJ_PARAMS_5(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_7(R, f, A, a, ...) , A a WSFJ_PARAMS_6(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_8(R, f, A, a, ...) , A a WSFJ_PARAMS_7(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_9(R, f, A, a, ...) , A a WSFJ_PARAMS_8(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_10(R, f, A, a, ...) , A a WSFJ_PARAMS_9(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_11(R, f, A, a, ...) , A a WSFJ_PARAMS_10(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_12(R, f, A, a, ...) , A a WSFJ_PARAMS_11(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_13(R, f, A, a, ...) , A a WSFJ_PARAMS_12(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_14(R, f, A, a, ...) , A a WSFJ_PARAMS_13(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_15(R, f, A, a, ...) , A a WSFJ_PARAMS_14(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_16(R, f, A, a, ...) , A a WSFJ_PARAMS_15(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_17(R, f, A, a, ...) , A a WSFJ_PARAMS_16(R, f, __VA_ARGS__)
#define WSFJ_PARAMS_18(R, f, A, a, ...) , A a WSFJ_PARAMS_17(R, f, __VA_ARGS__)

#define WSFJ_NAMES(k, ...) WSFJ_NAMES_##k(__VA_ARGS__)
#define WSFJ_NAMES_0(R, f)
#define WSFJ_NAMES_1(R, f, A, a) , a
#define WSFJ_NAMES_2(R, f, A, a, ...) , a WSFJ_NAMES_1(R, f, __VA_ARGS__)
#define WSFJ_NAMES_3(R, f, A, a, ...) , a WSFJ_NAMES_2(R, f, __VA_ARGS__)
#define WSFJ_NAMES_4(R, f, A, a, ...) , a WSFJ_NAMES_3(R, f, __VA_ARGS__)
#define WSFJ_NAMES_5(R, f, A, a, ...) , a WSFJ_NAMES_4(R, f, __VA_ARGS__)
#define WSFJ_NAMES_6(R, f, A, a, ...) , a WSFJ_NAMES_5(R, f, __VA_ARGS__)
#define WSFJ_NAMES_7(R, f, A, a, ...) , a WSFJ_NAMES_6(R, f, __VA_ARGS__)
#define WSFJ_NAMES_8(R, f, A, a, ...) , a WSFJ_NAMES_7(R, f, __VA_ARGS__)
#define WSFJ_NAMES_9(R, f, A, a, ...) , a WSFJ_NAMES_8(R, f, __VA_ARGS__)
#define WSFJ_NAMES_10(R, f, A, a, ...) , a WSFJ_NAMES_9(R, f, __VA_ARGS__)
#define WSFJ_NAMES_11(R, f, A, a, ...) , a WSFJ_NAMES_10(R, f, __VA_ARGS__)
#define WSFJ_NAMES_12(R, f, A, a, ...) , a WSFJ_NAMES_11(R, f, __VA_ARGS__)
#define WSFJ_NAMES_13(R, f, A, a, ...) , a WSFJ_NAMES_12(R, f, __VA_ARGS__)
#define WSFJ_NAMES_14(R, f, A, a, ...) , a WSFJ_NAMES_13(R, f, __VA_ARGS__)
#define WSFJ_NAMES_15(R, f, A, a, ...) , a WSFJ_NAMES_14(R, f, __VA_ARGS__)
#define WSFJ_NAMES_16(R, f, A, a, ...) , a WSFJ_NAMES_15(R, f, __VA_ARGS__)
#define WSFJ_NAMES_17(R, f, A, a, ...) , a WSFJ_NAMES_16(R, f, __VA_ARGS__)
#define WSFJ_NAMES_18(R, f, A, a, ...) , a WSFJ_NAMES_17(R, f, __VA_ARGS__)

#define WSFJ_PASS(k, ...) WSFJ_PASS_##k(__VA_ARGS__)
#define WSFJ_PASS_0(R, f) ()
#define WSFJ_PASS_1(R, f, A, a) (a)
#define WSFJ_PASS_2(R, f, A, a, ...) (a WSFJ_NAMES_1(R, f, __VA_ARGS__))
#define WSFJ_PASS_3(R, f, A, a, ...) (a WSFJ_NAMES_2(R, f, __VA_ARGS__))
#define WSFJ_PASS_4(R, f, A, a, ...) (a WSFJ_NAMES_3(R, f, __VA_ARGS__))
#define WSFJ_PASS_5(R, f, A, a, ...) (a WSFJ_NAMES_4(R, f, __VA_ARGS__))
#define WSFJ_PASS_6(R, f, A, a, ...) (a WSFJ_NAMES_5(R, f, __VA_ARGS__))
#define WSFJ_PASS_7(R, f, A, a, ...) (a WSFJ_NAMES_6(R, f, __VA_ARGS__))
#define WSFJ_PASS_8(R, f, A, a, ...) (a WSFJ_NAMES_7(R, f, __VA_ARGS__))
#define WSFJ_PASS_9(R, f, A, a, ...) (a WSFJ_NAMES_8(R, f, __VA_ARGS__))
#define WSFJ_PASS_10(R, f, A, a, ...) (a WSFJ_NAMES_9(R, f, __VA_ARGS__))
#define WSFJ_PASS_11(R, f, A, a, ...) (a WSFJ_NAMES_10(R, f, __VA_ARGS__))
#define WSFJ_PASS_12(R, f, A, a, ...) (a WSFJ_NAMES_11(R, f, __VA_ARGS__))
#define WSFJ_PASS_13(R, f, A, a, ...) (a WSFJ_NAMES_12(R, f, __VA_ARGS__))
#define WSFJ_PASS_14(R, f, A, a, ...) (a WSFJ_NAMES_13(R, f, __VA_ARGS__))
#define WSFJ_PASS_15(R, f, A, a, ...) (a WSFJ_NAMES_14(R, f, __VA_ARGS__))
#define WSFJ_PASS_16(R, f, A, a, ...) (a WSFJ_NAMES_15(R, f, __VA_ARGS__))

#define WSFJ_FIELDS(k, ...) WSFJ_FIELDS_##k(__VA_ARGS__)
#define WSFJ_FIELDS_0(R, f) char wsfj_none;
#define WSFJ_FIELDS_1(R, f, A, a) WSFJ_FIELD(A) a;
#define WSFJ_FIELDS_2(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_1(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_3(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_2(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_4(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_3(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_5(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_4(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_6(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_5(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_7(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_6(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_8(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_7(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_9(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_8(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_10(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_9(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_11(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_10(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_12(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_11(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_13(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_12(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_14(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_13(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_15(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_14(R, f, __VA_ARGS__)
#define WSFJ_FIELDS_16(R, f, A, a, ...) WSFJ_FIELD(A) a; WSFJ_FIELDS_15(R, f, __VA_ARGS__)

#define WSFJ_STORES(k, p, ...) WSFJ_STORES_##k(p, __VA_ARGS__)
#define WSFJ_STORES_0(p, R, f) (void)p;
#define WSFJ_STORES_1(p, R, f, A, a) p->a = a;
#define WSFJ_STORES_2(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_1(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_3(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_2(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_4(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_3(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_5(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_4(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_6(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_5(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_7(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_6(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_8(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_7(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_9(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_8(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_10(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_9(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_11(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_10(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_12(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_11(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_13(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_12(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_14(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_13(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_15(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_14(p, R, f, __VA_ARGS__)
#define WSFJ_STORES_16(p, R, f, A, a, ...) p->a = a; WSFJ_STORES_15(p, R, f, __VA_ARGS__)

#define WSFJ_LOADS(k, p, ...) WSFJ_LOADS_##k(p, __VA_ARGS__)
#define WSFJ_LOADS_0(p, R, f)
#define WSFJ_LOADS_1(p, R, f, A, a) , p->a
#define WSFJ_LOADS_2(p, R, f, A, a, ...) , p->a WSFJ_LOADS_1(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_3(p, R, f, A, a, ...) , p->a WSFJ_LOADS_2(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_4(p, R, f, A, a, ...) , p->a WSFJ_LOADS_3(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_5(p, R, f, A, a, ...) , p->a WSFJ_LOADS_4(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_6(p, R, f, A, a, ...) , p->a WSFJ_LOADS_5(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_7(p, R, f, A, a, ...) , p->a WSFJ_LOADS_6(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_8(p, R, f, A, a, ...) , p->a WSFJ_LOADS_7(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_9(p, R, f, A, a, ...) , p->a WSFJ_LOADS_8(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_10(p, R, f, A, a, ...) , p->a WSFJ_LOADS_9(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_11(p, R, f, A, a, ...) , p->a WSFJ_LOADS_10(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_12(p, R, f, A, a, ...) , p->a WSFJ_LOADS_11(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_13(p, R, f, A, a, ...) , p->a WSFJ_LOADS_12(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_14(p, R, f, A, a, ...) , p->a WSFJ_LOADS_13(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_15(p, R, f, A, a, ...) , p->a WSFJ_LOADS_14(p, R, f, __VA_ARGS__)
#define WSFJ_LOADS_16(p, R, f, A, a, ...) , p->a WSFJ_LOADS_15(p, R, f, __VA_ARGS__)

#define WSFJ_FIELD_SIZES(k, ...) WSFJ_FIELD_SIZES_##k(__VA_ARGS__)
#define WSFJ_FIELD_SIZES_0(R, f) + 1
#define WSFJ_FIELD_SIZES_1(R, f, A, a) + sizeof(wsfj_p->a)
#define WSFJ_FIELD_SIZES_2(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_1(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_3(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_2(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_4(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_3(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_5(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_4(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_6(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_5(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_7(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_6(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_8(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_7(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_9(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_8(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_10(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_9(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_11(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_10(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_12(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_11(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_13(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_12(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_14(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_13(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_15(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_14(R, f, __VA_ARGS__)
#define WSFJ_FIELD_SIZES_16(R, f, A, a, ...) + sizeof(wsfj_p->a) WSFJ_FIELD_SIZES_15(R, f, __VA_ARGS__)
#ifdef __cplusplus
#define WSFJ_PLAIN(k, ...) WSFJ_PLAIN_##k(__VA_ARGS__)
#define WSFJ_PLAIN_0(R, f)
#define WSFJ_PLAIN_1(R, f, A, a) && wsfj_plain<A>::wsfj_is
#define WSFJ_PLAIN_2(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_1(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_3(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_2(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_4(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_3(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_5(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_4(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_6(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_5(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_7(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_6(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_8(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_7(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_9(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_8(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_10(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_9(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_11(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_10(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_12(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_11(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_13(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_12(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_14(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_13(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_15(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_14(R, f, __VA_ARGS__)
#define WSFJ_PLAIN_16(R, f, A, a, ...) && wsfj_plain<A>::wsfj_is WSFJ_PLAIN_15(R, f, __VA_ARGS__)
#else
#define WSFJ_PLAIN(k, ...)
#endif
/* clang-format on */

/* Cuts the list (R, f, T1, a1, ...) and hands the pieces to `macro`, those with commas in parentheses. */
#define WSFJ_SPREAD(macro, k, ...)                                                                                     \
    macro(WSFJ_PROTO(k, __VA_ARGS__), (WSFJ_PARAMS(k, __VA_ARGS__)), (WSFJ_NAMES(k, __VA_ARGS__)),                     \
          WSFJ_PASS(k, __VA_ARGS__), (WSFJ_FIELDS(k, __VA_ARGS__)), (WSFJ_STORES(k, wsfj_p, __VA_ARGS__)),             \
          (WSFJ_LOADS(k, wsfj_c, __VA_ARGS__)), (WSFJ_FIELD_SIZES(k, __VA_ARGS__)), (WSFJ_PLAIN(k, __VA_ARGS__)),      \
          __VA_ARGS__, ~)

#endif
