/* SPDX-License-Identifier: MIT */
/*
 * Joins that are not the runtime's, for --policy join=... In both, a parent that waits at a sync keeps its worker.
 *
 * block     the parent looks at its counter until its children have arrived.
 * leapfrog  meanwhile its worker steals from one worker only, the thief of a child (the newest that is not done), and
 *           runs what it gets before the parent goes on: D. B. Wagner and B. G. Calder, Leapfrogging: A Portable
 *           Technique for Implementing Efficient Futures, PPoPP 1993. There such a task runs above the parent, on the
 *           same stack; here on a stack of the pool, because a stack has one deque.
 */
#ifndef TOOLS_SIM_JOIN_H
#define TOOLS_SIM_JOIN_H

#include <stdio.h>

struct wsfj_stack;

/* In place of the parent's suspension (struct sim_others). */
void sim_join_block(struct wsfj_stack *own);
void sim_join_leapfrog(struct wsfj_stack *own);

/* For a run that is stuck: which parents keep their workers, and wait for how many children. */
void sim_join_waits(FILE *file);

#endif
