/* SPDX-License-Identifier: MIT */
/* How random programs run: all settings, drawn from their seed. Neighbour: batch.h. */
#ifndef TESTS_CAMPAIGNS_SOAK_SETUP_H
#define TESTS_CAMPAIGNS_SOAK_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <wsfj.h>

#define GROUP 20u                 /* programs for each start, ... */
#define PER_PROCESS (20u * GROUP) /* ... and for each process */
#define WORKERS_MOST 33

struct setup {
    ws_config config;
    bool membarrier, cgroup, polls, phase;
    unsigned may;       /* program_may */
    unsigned size_bits; /* of each program */
    unsigned together;  /* programs at the same time */
    unsigned nap_ms;    /* between programs, now and then: all workers fall asleep */
};

/* Draws the settings of the seed's group. */
void setup_draw(struct setup *setup, unsigned seed);

/* Draws what stays the same in a process: which calls of the library fail (--enable-chaos). Before the first start. */
void setup_process(unsigned seed);

/* Starts the runtime, and a phase if the settings have one. 0 or an error. */
int setup_start(const struct setup *setup);

/* Ends both. */
int setup_stop(const struct setup *setup);

/* Prints the settings on stdout, in one line. */
void setup_print(const struct setup *setup);

#endif
