/* SPDX-License-Identifier: MIT */
/* What a process with random programs shows to its guard, also when it dies or hangs. */
#ifndef TESTS_CAMPAIGNS_SOAK_PAGE_H
#define TESTS_CAMPAIGNS_SOAK_PAGE_H

#include "../../random/log.h"

#include <wsfj.h>

struct page {
    struct program_log log;
    struct ws_stats stats; /* sums over all starts; stacks: the maximum */
    long programs, starts, processes, failures;
    long strikes;    /* of a storm, if it counts them */
    unsigned seed;   /* of the first program that runs now */
    char wrong[512]; /* the error */
};

extern struct page *page;

/* Maps the page, for this process and its children. */
void page_open(void);

#endif
