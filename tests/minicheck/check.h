/* SPDX-License-Identifier: MIT */
/*
 * The part of Check's interface that the tests use, for machines without that library (configure --without-check). Each
 * test runs in a process group of its own, with a timeout. CK_FORK=no runs all tests in this process, for a debugger;
 * the first failure calls abort(). Assertions may be used in any thread and in children of a test.
 *
 * Stricter than Check: a test that ends its process before its last line is an error, with any exit code, unless it is
 * added as an exit test with that code.
 */
#ifndef TESTS_MINICHECK_CHECK_H
#define TESTS_MINICHECK_CHECK_H

#include <stdint.h>

typedef struct TTest {
    const char *name;
    void (*body)(int _i);
} TTest;

typedef struct TCase TCase;
typedef struct Suite Suite;
typedef struct SRunner SRunner;
enum print_output { CK_NORMAL };

#define START_TEST(NAME)                                                                                               \
    static void NAME##_fn(int _i);                                                                                     \
    static const TTest NAME[] = {{#NAME, NAME##_fn}};                                                                  \
    static void NAME##_fn(int _i __attribute__((unused)))
#define END_TEST

/* These functions never return NULL; without memory the program ends. Names must stay valid. */
TCase *tcase_create(const char *name);
void tcase_set_timeout(TCase *tcase, double seconds);
void tcase_add_checked_fixture(TCase *tcase, void (*setup)(void), void (*teardown)(void));
Suite *suite_create(const char *name);
void suite_add_tcase(Suite *suite, TCase *tcase);
SRunner *srunner_create(Suite *suite);
void srunner_run_all(SRunner *runner, enum print_output mode);
int srunner_ntests_failed(SRunner *runner); /* failures and errors */
void srunner_free(SRunner *runner);         /* frees the suite and its tests, too */

/* Runs the test for _i from `first` to `end` - 1. The test passes if it ends by `signal`, or with exit code `code`; if
 * both are 0, if it reaches its end. */
void minicheck_add(TCase *tcase, const TTest *test, int signal, int code, int first, int end);

#define tcase_add_test(tcase, test) minicheck_add(tcase, test, 0, 0, 0, 1)
#define tcase_add_loop_test(tcase, test, first, end) minicheck_add(tcase, test, 0, 0, first, end)
#define tcase_add_test_raise_signal(tcase, test, signal) minicheck_add(tcase, test, signal, 0, 0, 1)
#define tcase_add_exit_test(tcase, test, code) minicheck_add(tcase, test, 0, code, 0, 1)

/* The last line that a test has reached, for when it dies or hangs. */
void minicheck_mark(const char *file, int line);

/* Ends the test. */
__attribute__((format(printf, 3, 4))) _Noreturn void minicheck_fail(const char *file, int line, const char *format, ...);

#define MINICHECK_TEST(holds, ...)                                                                                     \
    ((holds) ? minicheck_mark(__FILE__, __LINE__) : minicheck_fail(__FILE__, __LINE__, __VA_ARGS__))

#define ck_abort_msg(...) minicheck_fail(__FILE__, __LINE__, __VA_ARGS__)
#define ck_assert_msg(holds, ...) MINICHECK_TEST(holds, __VA_ARGS__)
#define ck_assert(holds) MINICHECK_TEST(holds, "'%s' does not hold", #holds)

/* Both sides are evaluated once; the message has their text and their values. */
#define MINICHECK_COMPARE(TYPE, FORMAT, a, op, b)                                                                      \
    do {                                                                                                               \
        TYPE minicheck_a = (a);                                                                                        \
        TYPE minicheck_b = (b);                                                                                        \
        MINICHECK_TEST(minicheck_a op minicheck_b, "'%s' is " FORMAT ", not %s " FORMAT ", '%s'", #a, minicheck_a,     \
                       #op, minicheck_b, #b);                                                                          \
    } while (0)

#define MINICHECK_INT(a, op, b) MINICHECK_COMPARE(intmax_t, "%jd", a, op, b)
#define ck_assert_int_eq(a, b) MINICHECK_INT(a, ==, b)
#define ck_assert_int_ne(a, b) MINICHECK_INT(a, !=, b)
#define ck_assert_int_lt(a, b) MINICHECK_INT(a, <, b)
#define ck_assert_int_le(a, b) MINICHECK_INT(a, <=, b)
#define ck_assert_int_gt(a, b) MINICHECK_INT(a, >, b)
#define ck_assert_int_ge(a, b) MINICHECK_INT(a, >=, b)

#define MINICHECK_UINT(a, op, b) MINICHECK_COMPARE(uintmax_t, "%ju", a, op, b)
#define ck_assert_uint_eq(a, b) MINICHECK_UINT(a, ==, b)
#define ck_assert_uint_ne(a, b) MINICHECK_UINT(a, !=, b)
#define ck_assert_uint_lt(a, b) MINICHECK_UINT(a, <, b)
#define ck_assert_uint_le(a, b) MINICHECK_UINT(a, <=, b)
#define ck_assert_uint_gt(a, b) MINICHECK_UINT(a, >, b)
#define ck_assert_uint_ge(a, b) MINICHECK_UINT(a, >=, b)

#define MINICHECK_DOUBLE(a, op, b) MINICHECK_COMPARE(double, "%.17g", a, op, b)
#define ck_assert_double_eq(a, b) MINICHECK_DOUBLE(a, ==, b)
#define ck_assert_double_le(a, b) MINICHECK_DOUBLE(a, <=, b)
#define ck_assert_double_gt(a, b) MINICHECK_DOUBLE(a, >, b)
#define ck_assert_double_ge(a, b) MINICHECK_DOUBLE(a, >=, b)
#define ck_assert_double_eq_tol(a, b, tolerance)                                                                       \
    do {                                                                                                               \
        ck_assert_double_ge(a, (b) - (tolerance));                                                                     \
        ck_assert_double_le(a, (b) + (tolerance));                                                                     \
    } while (0)

#define MINICHECK_PTR(a, op, b) MINICHECK_COMPARE(const void *, "%p", a, op, b)
#define ck_assert_ptr_eq(a, b) MINICHECK_PTR(a, ==, b)
#define ck_assert_ptr_ne(a, b) MINICHECK_PTR(a, !=, b)
#define ck_assert_ptr_null(a) MINICHECK_PTR(a, ==, NULL)
#define ck_assert_ptr_nonnull(a) MINICHECK_PTR(a, !=, NULL)

/* Ordered as by strcmp(); NULL is equal to nothing. */
int minicheck_compare(const char *a, const char *b);

#define MINICHECK_STR(a, op, b)                                                                                        \
    do {                                                                                                               \
        const char *minicheck_a = (a), *minicheck_b = (b);                                                             \
        MINICHECK_TEST(minicheck_compare(minicheck_a, minicheck_b) op 0, "'%s' is \"%s\", not %s \"%s\", '%s'", #a,    \
                       minicheck_a ? minicheck_a : "(null)", #op, minicheck_b ? minicheck_b : "(null)", #b);           \
    } while (0)
#define ck_assert_str_eq(a, b) MINICHECK_STR(a, ==, b)
#define ck_assert_str_ne(a, b) MINICHECK_STR(a, !=, b)

#endif
