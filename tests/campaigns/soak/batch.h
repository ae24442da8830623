/* SPDX-License-Identifier: MIT */
/* Random programs of consecutive seeds in one process, each group with a start of its own. Neighbours: setup.h;
 * guard.h. */
#ifndef TESTS_CAMPAIGNS_SOAK_BATCH_H
#define TESTS_CAMPAIGNS_SOAK_BATCH_H

#include "setup.h"

struct batch {
    unsigned first, programs;
    unsigned times; /* how often each set of programs runs in a row */
    void (*change)(struct setup *setup,
                   unsigned seed); /* changes the settings drawn for the seed's group; NULL: nothing */
    bool refuses;                  /* after ENOMEM of ws_init() the group is skipped, ws_run() is called again */
};

/* The body of a process: returns the exit code, 0 if all was right. Writes its progress and errors to `page`. */
int batch_run(const struct batch *batch);

#endif
