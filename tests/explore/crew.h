/* SPDX-License-Identifier: MIT */
/*
 * For programs about sleep and wake: workers, the first of which has a stack, and pieces of work. A lost wake-up is a
 * deadlock.
 */
#ifndef TESTS_EXPLORE_CREW_H
#define TESTS_EXPLORE_CREW_H

#include "stacks.h"
#include "worker/worker.h"

enum { CREW = 3 };

extern struct wsfj_worker crew[CREW];
extern struct wsfj_stack *crew_stack; /* of the first worker */

/* In setup: `workers` workers, of which `searching` search. None sleeps, and all queues are empty. */
void crew_start(unsigned workers, unsigned searching);

/* The caller has taken a piece of work. */
void crew_take(void);

/* The worker searches and sleeps until it has taken a piece of work. As in search.c, other threads run between two rounds:
 * one of them may hold the deque's lock. */
void crew_search(struct wsfj_worker *w, bool (*take)(struct wsfj_worker *));

/* Sleeps until n pieces are taken, as a long leaf task would. */
void crew_wait(unsigned n);

#endif
