/* SPDX-License-Identifier: MIT */
/* The numbers of workers for the user programs, and starting the runtime with them. */
#ifndef TESTS_USER_WORKERS_H
#define TESTS_USER_WORKERS_H

#include "../support/runtime.h"

#define WORKERS 5
static const size_t workers[WORKERS] = {1, 2, 3, 8, 33};

static inline void start(size_t n)
{
    start_runtime(n, 0, WS_SPIN_DEFAULT);
}

#endif
