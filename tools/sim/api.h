/* SPDX-License-Identifier: MIT */
/* The parts of <wsfj/sim.h> that the engine's own files use. */
#ifndef TOOLS_SIM_API_H
#define TOOLS_SIM_API_H

#include <stdbool.h>
#include <stdint.h>

void sim_work(uint64_t ns);
void sim_sleep(uint64_t ns);
uint64_t sim_time(void);
int sim_give(unsigned worker, void (*fn)(void *arg), void *arg);

/* The nanoseconds of all calls of sim_work(). */
extern uint64_t sim_worked;

/* Some thread is inside sim_work(). */
bool sim_working(void);

#endif
