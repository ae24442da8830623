/* SPDX-License-Identifier: MIT */
/* What must hold in every run. If it does not, the simulator or the library has an error, and the run ends with
 * SIM_EXIT_BROKEN and one line. */
#ifndef TOOLS_SIM_CHECK_H
#define TOOLS_SIM_CHECK_H

#include <stdbool.h>

struct sim_note;

/* A fiber runs in one place at a time, and a worker runs one. Called for each event. */
void sim_check_event(const struct sim_note *note);

/* The workload's facts (work.h): T_P >= max(T1 / P, Tinf), and the bound of stacks. */
void sim_check_facts(void);

#define sim_check(holds, ...) ((holds) ? (void)0 : sim_broken(__VA_ARGS__))
__attribute__((format(printf, 1, 2))) _Noreturn void sim_broken(const char *format, ...);

#endif
