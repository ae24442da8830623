/* SPDX-License-Identifier: MIT */
/*
 * How long a test may take. A process that is not done in time prints the runtime's dump (late_dump.h) to the log, and
 * ends GRACE seconds later by SIGALRM. Neighbours: limited, the same for scripts; run.h, where Check's limit is set.
 */
#ifndef TESTS_SUPPORT_LIMIT_H
#define TESTS_SUPPORT_LIMIT_H

#define LIMIT_GRACE_S 5

/* WSFJ_TEST_LIMIT; else what tests/local.mk says. An invalid value ends the program with a line. */
unsigned limit_seconds(void);

/* Limits each process that this one forks from now on. What such a process forks must end a second before it. Not with
 * CK_FORK=no, which is for debuggers. Call it before the runtime starts. */
void limit_children(void);

#endif
