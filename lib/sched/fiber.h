/* SPDX-License-Identifier: MIT */
/* What runs on a stack of the pool: a stolen task, a detached task or a region's root. How it leaves the stack: leave.h. */
#ifndef WSFJ_SCHED_FIBER_H
#define WSFJ_SCHED_FIBER_H

/* Before the first thread starts: the workers are made. */
void wsfj_fiber_start(void);

/* The first function on a fresh stack of the pool. */
void wsfj_fiber_main(void *stack);
/* The same if ThreadSanitizer is in the program: a function of its own, so that tasks elsewhere are not slower. */
void wsfj_fiber_main_watched(void *stack);

#endif
