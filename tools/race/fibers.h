/* SPDX-License-Identifier: MIT */
/*
 * Fibers: flows of control with a stack each, of one thread. Which one runs is not decided here (schedule.c). Names start
 * with race_fiber_.
 */
#ifndef RACE_FIBERS_H
#define RACE_FIBERS_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/** What a switch needs of a fiber. */
struct flow;

/** The calling thread's own flow. */
struct flow *race_fiber_here(void);
/** A flow with a stack, on which `entry` will run with a copy of `size` bytes. The entry never returns. NULL: no memory. */
struct flow *race_fiber_make(void (*entry)(void *), const void *arguments, size_t size);
/** Takes the stack back. It may be the one that runs, until the next switch. */
void race_fiber_drop(struct flow *flow);
void race_fiber_switch(struct flow *from, struct flow *to);
/** An entry calls this first. */
void race_fiber_entered(struct flow *flow);

#pragma GCC visibility pop

#endif
