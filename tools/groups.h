/* SPDX-License-Identifier: MIT */
/* The workers of a large machine in a few lines. Neighbour: lib/machine/report.c, which has a line for each worker. */
#ifndef WSFJ_TOOLS_GROUPS_H
#define WSFJ_TOOLS_GROUPS_H

#include "machine/placement.h"

/* More groups would not fit on a screen, with all else that wsfj-info prints. */
#define GROUPS_MOST 16

/* Prints the workers by the innermost level that has few enough members. False if there is no memory. */
bool groups_print(const struct wsfj_topology *topology, const struct wsfj_placement *placement);

#endif
