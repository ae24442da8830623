/* SPDX-License-Identifier: MIT */
/* For tests of loops: counting how often each iteration runs, and the loops that loops_other.c defines. */
#ifndef TESTS_USER_LOOPS_H
#define TESTS_USER_LOOPS_H

#include "workers.h"

#include <string.h>

#define LOOPS_MOST 300000

typedef unsigned char loops_hits[LOOPS_MOST];

static inline void loops_hit(unsigned char *hit)
{
    (void)__atomic_fetch_add(hit, 1, __ATOMIC_RELAXED);
}

/* The first n have run once and the others never; empties the counts. */
static inline void loops_expect(unsigned char *hits, size_t n)
{
    for (size_t i = 0; i < LOOPS_MOST; i++) {
        if (hits[i] != (i < n))
            ck_abort_msg("iteration %zu of %zu has run %d times", i, n, hits[i]);
    }
    memset(hits, 0, LOOPS_MOST);
}

WS_DECLARE_VOID(loops_far, long, lo, long, hi, unsigned char *, hits);
WS_DECLARE(long, loops_far_sum, int, lo, int, hi, const int *, values);

#endif
