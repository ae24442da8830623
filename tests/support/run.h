/* SPDX-License-Identifier: MIT */
/* What every test program needs of Check: a test case with a time limit, a main that runs it, and reasons to leave
 * tests out. */
#ifndef TESTS_SUPPORT_RUN_H
#define TESTS_SUPPORT_RUN_H

#include "limit.h"

#include <check.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define EXIT_SKIPPED 77 /* of a program that has nothing to check here */

/* Whether the library can be made to fail (lib/base/failpoint.h). */
#ifdef WSFJ_CHAOS
#define CHAOS 1
#else
#define CHAOS 0
#endif

/* NULL, or why there are no machines imagined by hwloc. */
#ifdef WITHOUT_HWLOC
#define WITHOUT_MACHINES "without hwloc there is no machine to be had but this one"
#else
#define WITHOUT_MACHINES NULL
#endif

/* NULL, or `why` if programs run under the emulator TEST_EMULATOR (tests/campaigns/cross). */
static inline const char *emulated(const char *why)
{
    const char *emulator = getenv("TEST_EMULATOR");

    return emulator && *emulator ? why : NULL;
}

/* Where qemu-user differs from the kernel. */
#define NO_LIMITS "qemu-user sets no limit to the address space"
#define NO_THREADS "qemu-user ends where a forked child starts threads"
#define NOT_OUR_MEMORY "with qemu-user the process has the memory of the emulator, which keeps what it has translated"

/* True if `why` is NULL; else the log says that `what` is left out. */
static inline bool can_test(const char *what, const char *why)
{
    if (why)
        printf("skipped: %s: %s\n", what, why);
    return !why;
}

/* Adds a test unless there is a reason not to. NULL: there is none. */
#define ADD_TEST_UNLESS(why, tcase, test)                                                                              \
    do {                                                                                                               \
        if (can_test(#test, why))                                                                                      \
            tcase_add_test(tcase, test);                                                                               \
    } while (0)

static inline TCase *new_case(const char *name)
{
    TCase *tcase = tcase_create(name);

#ifdef M_PERTURB
    (void)mallopt(M_PERTURB, 0xa5); /* memory that is not initialised is not zero by chance */
#endif
    limit_children();
    tcase_set_timeout(tcase, limit_seconds() + 2 * LIMIT_GRACE_S); /* if the process cannot take its signal */
    return tcase;
}

/* Runs the case and prints the line of totals. Returns the program's exit status. */
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
