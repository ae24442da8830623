/* SPDX-License-Identifier: MIT */
/* What a program may ask: counters, the text of an error, the version. */
#include "../support/fib.h"
#include "workers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Catches: a struct of another version that is written past its end; counters that are never counted. */
START_TEST(stats_need_their_size)
{
    struct ws_stats stats = {.size = sizeof stats};

    ck_assert_int_eq(ws_stats_get(NULL), EINVAL);
    stats.size = sizeof stats - 1;
    ck_assert_int_eq(ws_stats_get(&stats), EINVAL);
    stats.size = 0;
    ck_assert_int_eq(ws_stats_get(&stats), EINVAL);
    stats.size = sizeof stats + 8;
    ck_assert_int_eq(ws_stats_get(&stats), 0); /* even while nothing runs */
    ck_assert_uint_eq(stats.size, sizeof stats + 8);
    start(2);
    check_fib(15);
    stats.size = sizeof stats;
    ck_assert_int_eq(ws_stats_get(&stats), 0);
    ck_assert_uint_ge(stats.stacks, 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: an error without a text, two with the same. */
START_TEST(every_error_has_a_line_of_text)
{
    static const int errors[] = {0, EALREADY, EINVAL, ENOMEM, EAGAIN, EBUSY, EDEADLK, 12345};

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const char *text = ws_strerror(errors[i]);

        ck_assert_ptr_nonnull(text);
        ck_assert_uint_gt(strlen(text), 3);
        ck_assert_ptr_null(strchr(text, '\n'));
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(text, ws_strerror(errors[j]));
    }
    ck_assert_ptr_nonnull(ws_strerror(-1));
}
END_TEST

/* Catches: a version in the library that is not the headers'. */
START_TEST(the_version_is_that_of_the_headers)
{
    const char *text = NULL;
    char built[32];

    ck_assert_uint_eq(ws_version(&text), WSFJ_VERSION);
    ck_assert_str_eq(text, WSFJ_VERSION_STRING);
    ck_assert_uint_eq(ws_version(NULL), WSFJ_VERSION);
    snprintf(built, sizeof built, "%d.%d.%d", WSFJ_VERSION_MAJOR, WSFJ_VERSION_MINOR, WSFJ_VERSION_PATCH);
    ck_assert_str_eq(built, WSFJ_VERSION_STRING);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("queries");

    tcase_add_test(tcase, stats_need_their_size);
    tcase_add_test(tcase, every_error_has_a_line_of_text);
    tcase_add_test(tcase, the_version_is_that_of_the_headers);
    return run_case("queries", tcase);
}
