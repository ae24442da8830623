/* SPDX-License-Identifier: MIT */
/* Runs one test once, in a process group of its own. Neighbour: check.c, which counts. */
#ifndef TESTS_MINICHECK_CHILD_H
#define TESTS_MINICHECK_CHILD_H

#include "check.h"

#include <stdbool.h>

struct run {
    const TTest *test;
    int i;
    int signal, code; /* its expected end, as for minicheck_add() */
    double timeout;
    void (*setup)(void), (*teardown)(void); /* or NULL */
};

enum verdict { PASSED, FAILED, DIED };

/* Why a test has not passed: the last line that it reached, and a message. */
struct account {
    const char *file;
    int line;
    char text[4096];
};

/* Maps the memory that a test and the runner share. Call it before the first run. */
void child_start(void);

enum verdict child_run(const struct run *run, struct account *account);

#endif
