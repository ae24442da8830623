/* SPDX-License-Identifier: MIT */
/*
 * Measures on this machine, in real time, what costs.h is about; writes a file of costs. Not in a simulation.
 *
 * calibrate.c: single operations. calibrate_kernel.c: what the kernel does for threads. calibrate_lines.c: what goes from
 * one CPU to another. calibrate_scenes.c: the library's own steps.
 */
#ifndef TOOLS_SIM_CALIBRATE_H
#define TOOLS_SIM_CALIBRATE_H

#include <stdint.h>
#include <stdio.h>

/* All that follows. */
void sim_calibrate(FILE *file);

/* Writes a cost that sim_costs has, with a comment. */
__attribute__((format(printf, 3, 4))) void calibrate_say(FILE *file, const char *name, const char *comment, ...);
/* The value that n * percent / 100 of the n values do not exceed. Sorts them. */
uint64_t calibrate_rank(uint64_t *values, unsigned n, unsigned percent);
/* The calling thread runs on this CPU only. */
void calibrate_bind(unsigned cpu);
/* ... and on all again: a process that it starts inherits that. */
void calibrate_free(void);

/* Barriers, wake-ups, timed sleeps. */
void calibrate_kernel(FILE *file);

/* Between two CPUs: a hand-over, accesses to lines, the cache after a move. */
void calibrate_lines(FILE *file, unsigned cpu, unsigned other);
/* Two threads on one CPU take turns. */
void calibrate_switch(FILE *file, unsigned cpu);

/* The costs of steps that a thief at `other` takes at a victim on `cpu`. */
void calibrate_steal(FILE *file, unsigned cpu, unsigned other);
/* The costs of one worker's steps. */
void calibrate_spawn(FILE *file, unsigned cpu);
/* The costs of steps that two workers take together. */
void calibrate_steps(FILE *file, unsigned cpu, unsigned other);

#endif
