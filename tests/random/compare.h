/* SPDX-License-Identifier: MIT */
/* Random programs against their serial evaluation. */
#ifndef TESTS_RANDOM_COMPARE_H
#define TESTS_RANDOM_COMPARE_H

#include "tasks.h"

#define TOGETHER 8 /* programs at the same time, at most */

/*
 * Runs the programs of n seeds from `first` on at the same time, each in a thread of its own (the first in the
 * caller's), and waits until the last task is done. NULL if each task has run exactly once and all results are right;
 * else what is wrong, valid until the next call.
 */
const char *program_compare(unsigned first, unsigned n, unsigned size_bits);

/* A seed whose expected value is wrong, to test the report of a failure; -1: none. */
extern long program_spoilt;

/* ws_fini(), once the runtime is no longer busy. */
int program_stop(void);

#endif
