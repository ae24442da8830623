/* SPDX-License-Identifier: MIT */
/* Measures on this machine, in real time, what costs.h is about; writes a file of costs. Not in a simulation. */
#ifndef TOOLS_SIM_CALIBRATE_H
#define TOOLS_SIM_CALIBRATE_H

#include <stdio.h>

void sim_calibrate(FILE *file);

#endif
