/* SPDX-License-Identifier: MIT */
/* What profile_mixed.c, which is compiled with WSFJ_PROFILE, and profile_other.c, which is not, know of each other. */
#ifndef TESTS_USER_PROFILE_OTHER_H
#define TESTS_USER_PROFILE_OTHER_H

#include <wsfj.h>

/* profile_other.c: a parallel region; calls `fn(arg)` in as many tasks. 0 or an error. */
int other_run(long tasks, void (*fn)(void *), void *arg);
/* The n-th Fibonacci number, by a plain call of a parallel task. */
long other_fib(long n);
/* Waits in that file for a group of this one, and submits to it there. */
int other_group_wait(ws_group *group);
int other_group_submit(ws_group *group, void (*fn)(void *), void *arg);

#endif
