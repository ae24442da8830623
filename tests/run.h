/* SPDX-License-Identifier: MIT */
/* What every test program needs of Check: a test case with a timeout for slow machines, and a main that runs it. */
#ifndef TESTS_RUN_H
#define TESTS_RUN_H

#include <check.h>

#define TIMEOUT_S 600
#define EXIT_SKIPPED 77 /* for a program that has nothing to check here */

/* Whether the library can be made to fail (lib/mishap.h). */
#ifdef WSFJ_CHAOS
#define CHAOS 1
#else
#define CHAOS 0
#endif

static inline TCase *new_case(const char *name)
{
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, TIMEOUT_S);
    return tcase;
}

/* Runs the case and prints the line of totals. The program's exit status. */
static inline int run_case(const char *name, TCase *tcase)
{
    Suite *all = suite_create(name);
    SRunner *runner = srunner_create(all);

    suite_add_tcase(all, tcase);
    srunner_run_all(runner, CK_NORMAL);

    int failed = srunner_ntests_failed(runner);

    srunner_free(runner);
    return failed != 0;
}

#endif
