/* SPDX-License-Identifier: MIT */
/*
 * Random programs as their serial elision: compiled with WSFJ_SERIAL they return what the plain recursion returns, for
 * new seeds in each run. The soak compares parallel programs with that recursion, so the recursion stands for the
 * elision of all seeds. WSFJ_TEST_SEED=n repeats one run. Neighbours: kernels.c, other programs and their elision;
 * tests/campaigns/soak.
 */
#ifndef WSFJ_SERIAL
#error "compile this with -DWSFJ_SERIAL"
#endif
#include "../random/compare.h"
#include "../stress/stress.h"

#include <stdio.h>

#define PROGRAMS COUNT(400u, 200u)
#define SIZE_BITS 12

/* Catches: an elision that leaves out a child, runs one twice, or too late for a sync. */
START_TEST(the_elision_computes_what_the_recursion_does)
{
    const char *given = getenv("WSFJ_TEST_SEED"), *wrong = NULL;
    unsigned first = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)(now() / 1000 % 1000000000);

    for (unsigned i = 0; i < PROGRAMS && !wrong; i++)
        wrong = program_compare(first + i, 1, SIZE_BITS);
    ck_assert_msg(!wrong, "WSFJ_TEST_SEED=%u: %s", first, wrong);
    ck_assert_int_gt(program_log->spawns, 0);
    ck_assert_int_gt(program_log->submits, 0);
    ck_assert_int_gt(program_log->sections, 0);
    ck_assert_int_gt(program_log->callers, 0);
}
END_TEST

/* Catches: a comparison that cannot fail. */
START_TEST(a_value_that_is_not_the_recursion_s_is_told)
{
    program_spoilt = 7;
    ck_assert_ptr_nonnull(program_compare(7, 1, SIZE_BITS));
    ck_assert_ptr_null(program_compare(8, 1, SIZE_BITS));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("elision");

    tcase_add_test(tcase, the_elision_computes_what_the_recursion_does);
    tcase_add_test(tcase, a_value_that_is_not_the_recursion_s_is_told);
    return run_case("elision", tcase);
}
