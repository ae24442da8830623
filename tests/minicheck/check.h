/* SPDX-License-Identifier: MIT */
/*
 * The part of Check's interface that the tests use, for machines without that library (configure --without-check). Each
 * test runs in a process group of its own, with a timeout; CK_FORK=no runs them all in this one, for a debugger, and
 * stops with abort() where one fails. Assertions may be used in any thread and in children of a test.
 *
 * Stricter than Check: a test that ends its process before its last line is an error, whatever the exit code, unless it
 * is added as an exit test with that code.
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

/* None of them returns NULL; without memory the program ends. Names must stay. */
TCase *tcase_create(const char *name);
void tcase_set_timeout(TCase *tcase, double seconds);
void tcase_add_checked_fixture(TCase *tcase, void (*setup)(void), void (*teardown)(void));
Suite *suite_create(const char *name);
void suite_add_tcase(Suite *suite, TCase *tcase);
SRunner *srunner_create(Suite *suite);
void srunner_run_all(SRunner *runner, enum print_output mode);
int srunner_ntests_failed(SRunner *runner); /* failures and errors */
void srunner_free(SRunner *runner);         /* and all that it runs */

/* The test is run for _i from `first` up to `end`, without it, and passes if it ends by `signal`, or with exit code `code`;
 * if both are 0, if it comes to its end. */
void checkless_add(TCase *tcase, const TTest *test, int signal, int code, int first, int end);

#define tcase_add_test(tcase, test) checkless_add(tcase, test, 0, 0, 0, 1)
#define tcase_add_loop_test(tcase, test, first, end) checkless_add(tcase, test, 0, 0, first, end)
#define tcase_add_test_raise_signal(tcase, test, signal) checkless_add(tcase, test, signal, 0, 0, 1)
#define tcase_add_exit_test(tcase, test, code) checkless_add(tcase, test, 0, code, 0, 1)

/* The last place that a test has come to, for when it dies or hangs. */
void checkless_mark(const char *file, int line);

/* Ends the test. */
__attribute__((format(printf, 3, 4))) _Noreturn void
checkless_fail(const char *file, int line, const char *format, ...);

#define CHECKLESS_TEST(holds, ...)                                                                                     \
    ((holds) ? checkless_mark(__FILE__, __LINE__) : checkless_fail(__FILE__, __LINE__, __VA_ARGS__))

#define ck_abort_msg(...) checkless_fail(__FILE__, __LINE__, __VA_ARGS__)
#define ck_assert_msg(holds, ...) CHECKLESS_TEST(holds, __VA_ARGS__)
#define ck_assert(holds) CHECKLESS_TEST(holds, "'%s' does not hold", #holds)

/* Both sides are looked at once; the message has their text and their values. */
#define CHECKLESS_COMPARE(TYPE, FORMAT, a, op, b)                                                                      \
    do {                                                                                                               \
        TYPE checkless_a = (a);                                                                                        \
        TYPE checkless_b = (b);                                                                                        \
        CHECKLESS_TEST(checkless_a op checkless_b, "'%s' is " FORMAT ", not %s " FORMAT ", '%s'", #a, checkless_a,     \
                       #op, checkless_b, #b);                                                                          \
    } while (0)

#define CHECKLESS_INT(a, op, b) CHECKLESS_COMPARE(intmax_t, "%jd", a, op, b)
#define ck_assert_int_eq(a, b) CHECKLESS_INT(a, ==, b)
#define ck_assert_int_ne(a, b) CHECKLESS_INT(a, !=, b)
#define ck_assert_int_lt(a, b) CHECKLESS_INT(a, <, b)
#define ck_assert_int_le(a, b) CHECKLESS_INT(a, <=, b)
#define ck_assert_int_gt(a, b) CHECKLESS_INT(a, >, b)
#define ck_assert_int_ge(a, b) CHECKLESS_INT(a, >=, b)

#define CHECKLESS_UINT(a, op, b) CHECKLESS_COMPARE(uintmax_t, "%ju", a, op, b)
#define ck_assert_uint_eq(a, b) CHECKLESS_UINT(a, ==, b)
#define ck_assert_uint_ne(a, b) CHECKLESS_UINT(a, !=, b)
#define ck_assert_uint_lt(a, b) CHECKLESS_UINT(a, <, b)
#define ck_assert_uint_le(a, b) CHECKLESS_UINT(a, <=, b)
#define ck_assert_uint_gt(a, b) CHECKLESS_UINT(a, >, b)
#define ck_assert_uint_ge(a, b) CHECKLESS_UINT(a, >=, b)

#define CHECKLESS_DOUBLE(a, op, b) CHECKLESS_COMPARE(double, "%.17g", a, op, b)
#define ck_assert_double_eq(a, b) CHECKLESS_DOUBLE(a, ==, b)
#define ck_assert_double_le(a, b) CHECKLESS_DOUBLE(a, <=, b)
#define ck_assert_double_gt(a, b) CHECKLESS_DOUBLE(a, >, b)
#define ck_assert_double_ge(a, b) CHECKLESS_DOUBLE(a, >=, b)
#define ck_assert_double_eq_tol(a, b, tolerance)                                                                       \
    do {                                                                                                               \
        ck_assert_double_ge(a, (b) - (tolerance));                                                                     \
        ck_assert_double_le(a, (b) + (tolerance));                                                                     \
    } while (0)

#define CHECKLESS_PTR(a, op, b) CHECKLESS_COMPARE(const void *, "%p", a, op, b)
#define ck_assert_ptr_eq(a, b) CHECKLESS_PTR(a, ==, b)
#define ck_assert_ptr_ne(a, b) CHECKLESS_PTR(a, !=, b)
#define ck_assert_ptr_null(a) CHECKLESS_PTR(a, ==, NULL)
#define ck_assert_ptr_nonnull(a) CHECKLESS_PTR(a, !=, NULL)

/* How strcmp() orders them; NULL is equal to nothing. */
int checkless_compare(const char *a, const char *b);

#define CHECKLESS_STR(a, op, b)                                                                                        \
    do {                                                                                                               \
        const char *checkless_a = (a), *checkless_b = (b);                                                             \
        CHECKLESS_TEST(checkless_compare(checkless_a, checkless_b) op 0, "'%s' is \"%s\", not %s \"%s\", '%s'", #a,    \
                       checkless_a ? checkless_a : "(null)", #op, checkless_b ? checkless_b : "(null)", #b);           \
    } while (0)
#define ck_assert_str_eq(a, b) CHECKLESS_STR(a, ==, b)
#define ck_assert_str_ne(a, b) CHECKLESS_STR(a, !=, b)

#endif
