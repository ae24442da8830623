/* SPDX-License-Identifier: MIT */
/* What a process that runs random programs shows to the one that watches it, also when it dies or hangs. */
#ifndef TESTS_CAMPAIGNS_SOAK_PAGE_H
#define TESTS_CAMPAIGNS_SOAK_PAGE_H

#include "../../random/log.h"

#include <wsfj.h>

struct page {
    struct program_log log;
    struct ws_stats stats; /* sums over all starts; stacks: the most */
    long programs, starts, processes, failures;
    long strikes;    /* of a storm, where it counts them */
    unsigned seed;   /* of the programs that run now, the first one's */
    char wrong[512]; /* what was wrong */
};

extern struct page *page;

/* Maps it, for this process and its children. */
void page_open(void);

#endif
