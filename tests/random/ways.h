/* SPDX-License-Identifier: MIT */
/*
 * Ways to run a child other than ws_spawn and ws_call: detached, in a blocking section, from a thread of its own; and
 * other things that a node may do. For tasks.c.
 */
#ifndef TESTS_RANDOM_WAYS_H
#define TESTS_RANDOM_WAYS_H

#include "place.h"

#include <wsfj.h>

/*
 * What programs may do. Without HOLD, for few stacks, no task keeps a stack while it waits, in a blocking section or
 * yielding, for a task that needs another; without BLOCK no task needs a thread besides the workers'. With RELY, for
 * settings that have a spare thread for each task that blocks, a task in a blocking section waits for its own child.
 * With PIN tasks are pinned. With ALONE no task makes a thread.
 */
enum { PROGRAM_BLOCK = 1, PROGRAM_HOLD = 2, PROGRAM_RELY = 4, PROGRAM_PIN = 8, PROGRAM_ALONE = 16 };
extern unsigned program_may;

enum way { SPAWNED, CALLED, CALLED_PLAINLY, SUBMITTED, RUN_HERE, RUN_BLOCKING, RUN_BY_CALLER };

enum way way_of(struct node node);

/* A submitted child. It lives until the group is done. */
struct errand {
    struct node node;
    struct place *place;
};

/* Submits the child; calls it if there is no room or no memory. */
void way_submit(ws_group *group, struct errand *errand, struct node node, struct place *place);

/*
 * All other ways but spawn and call: ws_run() in the task, which is a call; the same in a pin, or in a blocking section,
 * so that its tasks spawn, sync, submit and wait there; ws_run() by a new thread, while the task yields. Returns when the child is
 * done.
 */
void way_run(struct node node, struct place *place);

/* Every node's own work: mostly a few steps, seldom long enough for a steal, even on few processors. */
void program_work(struct node node);

/* Counts the spawns of a frame, those of its late children included. */
void program_spawned(const struct brood *brood);

/* Seldom yields, blocks for a moment, or submits a task without a waiter. `what` as for pick(). */
void way_pause(struct node node, unsigned what);

/* Submits such a task now, if there is room; also in ws_config.poll. */
bool way_send_stray(void);

/* A late child, and all that a task without frame variables of its own has. */
WS_DECLARE_VOID(way_late, struct node, node, uint64_t *, out);
#define WAY_SPAWN_LATE(brood, own)                                                                                     \
    program_spawned(&(brood));                                                                                         \
    for (int i_ = 0; (brood).late; i_++)                                                                               \
    ws_spawn(way_late, next_child(&(brood)), &(own)->late[i_])

/* Returns when all such tasks are done. ws_fini() may still be busy for a moment. */
void way_settle(void);

#endif
