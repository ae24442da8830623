/* SPDX-License-Identifier: MIT */
/* Free stacks, some for each worker of the program: in place of lib/task/pool.c. */
#ifndef TESTS_EXPLORE_POOLS_H
#define TESTS_EXPLORE_POOLS_H

#include "stacks.h"

/* In setup, after wsfj_workers is set: no worker has a stack. */
void pools_start(void);

/* In setup: the worker gets the free stack of that number. */
void pools_give(unsigned worker, unsigned stack);

/* How many stacks are free. */
unsigned pools_free(void);

#endif
