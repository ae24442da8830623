/* SPDX-License-Identifier: MIT */
/*
 * The nodes of a random program as tasks. The hash of a node says which kind of task runs it, and each kind uses its
 * frame in another way: spawns in a row or in loops, of one kind or of all, with syncs in between or none, calls,
 * submits. Neighbours: tree.h, the nodes; place.h, their values; kinds.h, the kinds; ways.h, what else a child may be.
 */
#ifndef TESTS_RANDOM_TASKS_H
#define TESTS_RANDOM_TASKS_H

#include "place.h"

#include <stdbool.h>

/* ws_run() of the node as a task of the place's kind. */
int program_run(struct node node, struct place *place);

/* Where memory is short for a while ws_run() may return ENOMEM, and is called again. */
extern bool program_waits_for_memory;

#endif
