/* SPDX-License-Identifier: MIT */
/*
 * Ways in which a child may run other than by ws_spawn and ws_call: detached, in a bracket, from a thread of its own; and
 * what a node may do besides. For tasks.c.
 */
#ifndef TESTS_RANDOM_WAYS_H
#define TESTS_RANDOM_WAYS_H

#include "place.h"

#include <wsfj.h>

/*
 * What programs do at all. Without HOLD, where stacks are few, no task keeps one while it waits, in a bracket or yielding,
 * for what needs another; without BLOCK nobody needs a thread beside the workers'.
 */
enum { PROGRAM_BLOCK = 1, PROGRAM_HOLD = 2 };
extern unsigned program_may;

enum way { SPAWNED, CALLED, CALLED_PLAINLY, SUBMITTED, RUN_HERE, RUN_BLOCKING, RUN_BY_CALLER };

enum way way_of(struct node node);

/* A child that is submitted. It lives until the group is done. */
struct errand {
    struct node node;
    struct place *place;
};

/* Submits the child; calls it if there is no room, or no memory. */
void way_submit(ws_group *group, struct errand *errand, struct node node, struct place *place);

/*
 * All other ways but spawn and call: ws_run() in the task, which is a call; the same in a bracket, so that its tasks spawn,
 * sync, submit and wait there; ws_run() by a new thread, while the task yields until it is done. Returns when it is.
 */
void way_run(struct node node, struct place *place);

/* Every node's own work: mostly a few turns, seldom long enough for a thief to come by, on few processors too. */
void program_work(struct node node);

/* Counts the spawns of a frame, those of its late children included. */
void program_spawned(const struct brood *brood);

/* Seldom yields, blocks for a moment, or submits a task that nobody waits for. `what` as for pick(). */
void way_pause(struct node node, unsigned what);

/* Such a task now, if there is room; in ws_config.poll, too. */
bool way_send_stray(void);

/* Returns when no such task is left: after it ws_fini() may be called, which is busy for a moment longer. */
void way_settle(void);

#endif
