/* SPDX-License-Identifier: MIT */
/* Each call of a start may fail, under each setting that makes it take more: what is left then. For failpoints.c. */
#ifndef TESTS_STRESS_STARTS_H
#define TESTS_STRESS_STARTS_H

/* How many settings there are. */
int starts_settings(void);

/* Starts and stops under the setting, first with no failure, then with each call in turn. The exit code of a process: 0, or
 * DAY_WRONG after a line on stderr. `root` has the files of a control group with a quota of one CPU. */
int starts_leave_something(long setting, const char *root);

#endif
