/* SPDX-License-Identifier: MIT */
/* Random programs against their serial evaluation. */
#ifndef TESTS_RANDOM_COMPARE_H
#define TESTS_RANDOM_COMPARE_H

#include "tasks.h"

#define TOGETHER 8 /* programs at once, at most */

/*
 * Runs the programs of n seeds from `first` on at once, each by a thread of its own (the first one by the caller's), and
 * waits until the last task is done. NULL if all that was to run has run, once, and gave what it should; else what is
 * wrong, until the next call.
 */
const char *program_compare(unsigned first, unsigned n, unsigned size_bits);

/* A seed whose expected value is wrong, to see what becomes of a failure; -1: none. */
extern long program_spoilt;

/* ws_fini(), when the runtime is no longer busy. */
int program_stop(void);

#endif
