/* SPDX-License-Identifier: MIT */
/* Times in the tables of wsfj-bench. */
#include "../../bench/harness/duration.h"

#include "../support/run.h"

#include <math.h>

#define SHOWS(seconds, expected) ck_assert_str_eq(duration_of(seconds).text, expected)

/* Catches: a time that reads 0.0000; a unit too large or too small. */
START_TEST(short_times_have_a_unit)
{
    SHOWS(9.87e-3, "9.87ms");
    SHOWS(1.001e-3, "1.00ms");
    SHOWS(987.1e-6, "987us");
    SHOWS(98.71e-6, "98.7us");
    SHOWS(9.871e-6, "9.87us");
    SHOWS(987e-9, "987ns");
    SHOWS(12.34e-9, "12.3ns");
    SHOWS(1e-9, "1.00ns");
    SHOWS(1e-12, "0.00ns");
}
END_TEST

/* Catches: digits that a table had before. */
START_TEST(longer_ones_are_seconds)
{
    SHOWS(0.01, "0.0100");
    SHOWS(0.09174, "0.0917");
    SHOWS(0.1401, "0.1401");
    SHOWS(1.23456, "1.2346");
    SHOWS(12.3456, "12.346");
    SHOWS(123.456, "123.46");
    SHOWS(1234.56, "1234.6");
    SHOWS(12345.6, "12346");
    SHOWS(99999, "99999");
}
END_TEST

/* Catches: 10.00ms or 1000us, which are wider than the column and not the next unit. */
START_TEST(rounding_up_changes_the_unit)
{
    SHOWS(9.9949e-3, "9.99ms");
    SHOWS(9.996e-3, "0.0100");
    SHOWS(999.6e-6, "1.00ms");
    SHOWS(99.96e-6, "100us");
    SHOWS(9.996e-6, "10.0us");
    SHOWS(999.7e-9, "1.00us");
    SHOWS(0.99999, "1.0000");
    SHOWS(9.99999, "10.000");
    SHOWS(99.9999, "100.00");
    SHOWS(999.999, "1000.0");
    SHOWS(9999.99, "10000");
}
END_TEST

/* Catches: a column that is not aligned. */
START_TEST(none_is_wider_than_six_characters)
{
    for (double s = 1e-9; s < 99999; s *= 1.001)
        ck_assert_msg(strlen(duration_of(s).text) <= 6, "%s", duration_of(s).text);
}
END_TEST

START_TEST(what_is_no_time_is_shown_as_such)
{
    SHOWS(NAN, "-");
    SHOWS(INFINITY, "-");
    SHOWS(0, "0.0000");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("duration");

    tcase_add_test(tcase, short_times_have_a_unit);
    tcase_add_test(tcase, longer_ones_are_seconds);
    tcase_add_test(tcase, rounding_up_changes_the_unit);
    tcase_add_test(tcase, none_is_wider_than_six_characters);
    tcase_add_test(tcase, what_is_no_time_is_shown_as_such);
    return run_case("duration", tcase);
}
