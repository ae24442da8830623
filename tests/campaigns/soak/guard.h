/* SPDX-License-Identifier: MIT */
/* A process for random programs, and what happens when it fails, dies or hangs. */
#ifndef TESTS_CAMPAIGNS_SOAK_GUARD_H
#define TESTS_CAMPAIGNS_SOAK_GUARD_H

#include "page.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Runs body(argument) in a child and waits for it; calls `disturb`, if not NULL, with the child's id meanwhile. If a
 * child makes no progress for long, its stacks are printed (where there is gdb) and it is killed. Returns false, after
 * a line on stdout, unless the body's value was 0.
 */
bool guard_run(int (*body)(const void *argument), const void *argument, void (*disturb)(pid_t child));

#endif
