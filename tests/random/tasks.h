/* SPDX-License-Identifier: MIT */
/*
 * The nodes of a random program as tasks. A node's hash chooses the kind of its task, and each kind uses its frame in
 * another way: spawns in a row or in loops, of one kind or of all, with syncs in between or none, calls, submits.
 * Neighbours: tree.h, the nodes; place.h, their values; kinds.h, the kinds; ways.h, the other ways to run a child.
 */
#ifndef TESTS_RANDOM_TASKS_H
#define TESTS_RANDOM_TASKS_H

#include "place.h"

#include <stdbool.h>

/* ws_run() of the node as a task of the place's kind. */
int program_run(struct node node, struct place *place);

/* Under a memory limit ws_run() may return ENOMEM; then it is called again. */
extern bool program_waits_for_memory;

#endif
