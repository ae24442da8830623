/* SPDX-License-Identifier: MIT */
/* Random programs of consecutive seeds in one process, each group with a start of its own. Neighbours: setup.h;
 * guard.h. */
#ifndef TESTS_CAMPAIGNS_SOAK_BATCH_H
#define TESTS_CAMPAIGNS_SOAK_BATCH_H

#include "setup.h"

struct batch {
    unsigned first, programs;
    unsigned times;                                     /* those of each crowd are run so often in a row */
    void (*change)(struct setup *setup, unsigned seed); /* what has been drawn for the seed's group; NULL: nothing */
    bool refuses; /* ws_init() may return ENOMEM: the group is left out; ws_run(): it is tried again */
};

/* The body of a process: its value is the exit code, 0 if all was right. Says in `page` how far it is, and what was
 * wrong. */
int batch_run(const struct batch *batch);

#endif
