/* SPDX-License-Identifier: MIT */
/* The workers as a whole, with their threads. start.c and runtime.c call this at start and stop, one thread at a time. */
#ifndef WSFJ_SCHED_TEAM_H
#define WSFJ_SCHED_TEAM_H

#include "base/base.h"

struct wsfj_placement;
struct wsfj_topology;

/* Makes the workers (workers.h) and what their threads need. False if there is no memory. */
bool wsfj_team_make(const struct wsfj_topology *topology, const struct wsfj_placement *placement);

/* Makes a thread for each worker. The threads wait for wsfj_team_start(). Returns how many could be started; prints a
 * line if fewer. */
unsigned wsfj_team_recruit(void);

/* The first workers, one for each of the `cpus` processors, begin with a search. The others begin asleep: a search
 * would only take a processor from those that work. */
void wsfj_team_start(unsigned cpus);

/* False if no thread could be started: then each task runs serially on the calling thread, and no stack has a worker.
 * Constant while the runtime runs. */
bool wsfj_team_has_threads(void);

/* Stops the workers, ends the threads and waits for their end: of a team that runs or has not been started. */
void wsfj_team_join(void);

void wsfj_team_free(void);

/* Forgets the workers without freeing their memory. */
void wsfj_team_forget(void);

#endif
