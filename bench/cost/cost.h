/* SPDX-License-Identifier: MIT */
/* The operations of wsfj-cost that are not in cost.c, and what they share with it. */
#ifndef BENCH_COST_H
#define BENCH_COST_H

#include <wsfj.h>

/* How often the operation is to be done. */
extern long times;

/* Of tasks that the main thread submits. */
extern ws_group outside;

/* Does it; the instructions inside are counted. */
void cost_measured(void (*operation)(void));

/* steal.c */
void cost_answers(void);
void cost_joins(void);
void cost_steals(void);
void cost_forces(void);
void cost_searches(void);
void cost_searches_in_vain(void);

#endif
