/* SPDX-License-Identifier: MIT */
/* What random programs have done so far, and their errors. */
#ifndef TESTS_RANDOM_LOG_H
#define TESTS_RANDOM_LOG_H

#include <stdbool.h>

/* All threads add to it (relaxed: it is read when nothing runs, or only to see progress). */
struct program_log {
    long ran;   /* nodes */
    long wrong; /* wrong arguments and results */
    long spawns, submits, sections, yields, callers, pins;
    long strays_sent, strays_done; /* tasks without a waiter */
};

/* A process may move it to shared memory. */
extern struct program_log *program_log;

void program_check(bool right);

#endif
