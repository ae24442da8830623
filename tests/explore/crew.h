/* SPDX-License-Identifier: MIT */
/*
 * For the programs about sleep and wake: workers, of whom the first has a stack, and a piece of work that somebody waits
 * for. A lost wake-up is a deadlock.
 */
#ifndef TESTS_EXPLORE_CREW_H
#define TESTS_EXPLORE_CREW_H

#include "stacks.h"
#include "core/worker.h"

enum { CREW = 3 };

extern struct wsfj_worker crew[CREW];
extern struct wsfj_stack *crew_stack; /* the first one's */

/* In setup: so many workers, of whom so many search and none sleeps; nothing lies anywhere. */
void crew_start(unsigned workers, unsigned searching);

/* Somebody has taken a piece of work. */
void crew_take(void);

/* Sleeps until so many are taken: as in a long leaf. */
void crew_wait(unsigned n);

#endif
