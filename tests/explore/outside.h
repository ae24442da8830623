/* SPDX-License-Identifier: MIT */
/*
 * For programs about the lookout (PARK-13): fibers that sleep until a time, under the library's own timers, and the kernel's part
 * in place of lib/wait/descriptor.c. A time that is soon comes when a thread sleeps until then; another one never comes. A
 * wake-up that is lost shows as a deadlock.
 */
#ifndef TESTS_EXPLORE_OUTSIDE_H
#define TESTS_EXPLORE_OUTSIDE_H

#include "stacks.h"

#define OUTSIDE_SOON UINT64_C(2000000) /* a program begins at 1000000 */
#define OUTSIDE_NEVER (1000000 * OUTSIDE_SOON)

enum { SLEEPERS = 2 };

/* In setup: no fiber sleeps. The eventfd may have been written to, as choices. */
void outside_start(void);

/* Fiber i has left its stack to sleep until then, as in lib/api/wait.c. False: the time has come, and it is back. */
bool outside_sleep(unsigned i, uint64_t until);

/* What fiber i waits for besides has come: it is back, without its deadline. False: its time has come first. */
bool outside_come(unsigned i);

/* The fiber is resumed: its time has come. Its record is memory for something else from here on. */
void outside_back(const struct wsfj_stack *s);

#endif
