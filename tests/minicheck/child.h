/* SPDX-License-Identifier: MIT */
/* One test, once, in a process group of its own. Neighbour: check.c, which counts. */
#ifndef TESTS_MINICHECK_CHILD_H
#define TESTS_MINICHECK_CHILD_H

#include "check.h"

#include <stdbool.h>

struct run {
    const TTest *test;
    int i;
    int signal, code; /* how it is to end, as for minicheck_add() */
    double timeout;
    void (*setup)(void), (*teardown)(void); /* or NULL */
};

enum verdict { PASSED, FAILED, DIED };

/* What is known of a test that has not passed: the last place it came to, and what was wrong. */
struct account {
    const char *file;
    int line;
    char text[4096];
};

/* Makes what a test and the runner share. To be called before the first run. */
void child_start(void);

enum verdict child_run(const struct run *run, struct account *account);

#endif
