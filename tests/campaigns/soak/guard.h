/* SPDX-License-Identifier: MIT */
/* A process of its own for random programs, and what happens when it fails, dies or hangs. */
#ifndef TESTS_CAMPAIGNS_SOAK_GUARD_H
#define TESTS_CAMPAIGNS_SOAK_GUARD_H

#include "page.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Runs body(argument) in a child and waits for it; `disturb`, if not NULL, is called with the child's id all the while.
 * A child in which nothing has moved for long gets its stacks printed (where there is gdb) and is killed. False, and a
 * line on stdout, unless the body's value was 0.
 */
bool guard_run(int (*body)(const void *argument), const void *argument, void (*disturb)(pid_t child));

#endif
