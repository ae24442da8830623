/* SPDX-License-Identifier: MIT */
/* The command line of wsfj-lab: which experiments, and with what number of workers, length and number of tasks. */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include "lab.h"

enum options_action { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_LIST, OPTIONS_MACHINE };

/* Reads the command line into lab, action and chosen, which has a place for each of the n experiments. False, and one
 * line on stderr, if it is invalid. */
bool options_read(struct lab *lab, enum options_action *action, bool *chosen, const struct lab_experiment *experiments,
                  size_t n, char **argv);

void options_help(void);

/* The experiments, and what each takes. */
void options_list(const struct lab_experiment *experiments, size_t n);

#endif
