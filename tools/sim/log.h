/* SPDX-License-Identifier: MIT */
/* --log: one line for each event, in order of time. */
#ifndef TOOLS_SIM_LOG_H
#define TOOLS_SIM_LOG_H

#include "event.h"

#include <stdbool.h>

extern bool sim_log_is_on;

void sim_log_note(const struct sim_note *note);
/* The calling thread computes: what its worker has begun has its name by now. */
void sim_log_works(void);
/* Prints what still waits for a name. */
void sim_log_end(void);

#endif
