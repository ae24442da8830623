/* SPDX-License-Identifier: MIT */
/* What random programs have done so far, and what was wrong. */
#ifndef TESTS_RANDOM_LOG_H
#define TESTS_RANDOM_LOG_H

#include <stdbool.h>

/* Added to by all threads (relaxed: read when nothing runs, or only to see whether anything moves). */
struct program_log {
    long ran;   /* nodes */
    long wrong; /* arguments and results that are not what was passed */
    long spawns, submits, sections, yields, callers;
    long strays_sent, strays_done; /* tasks that nobody waits for */
};

/* A process may put it where others see it, too. */
extern struct program_log *program_log;

void program_check(bool right);

#endif
