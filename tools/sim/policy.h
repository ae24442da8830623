/* SPDX-License-Identifier: MIT */
/* The policy that is simulated: lib/base/policy.h, whose numbers are a variable here, and functions in place of the
 * library's (others.h). */
#ifndef TOOLS_SIM_POLICY_H
#define TOOLS_SIM_POLICY_H

#include <stdio.h>

/* NAME=VALUE,... On an error one line, and the program ends. */
void sim_policy_set(const char *text);

/* All of it: names, values as they are, what is possible. */
void sim_policy_list(FILE *file);

/* A line on stderr if a function takes the place of the runtime's. */
void sim_policy_tell(void);

#endif
