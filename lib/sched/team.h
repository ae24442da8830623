/* SPDX-License-Identifier: MIT */
/*
 * The workers as a whole: the array, its threads, where they are bound. Called by runtime.c at start and stop, one
 * thread at a time.
 */
#ifndef WSFJ_SCHED_TEAM_H
#define WSFJ_SCHED_TEAM_H

#include "base/base.h"

#include <sys/types.h>

struct wsfj_placement;
struct wsfj_topology;
struct wsfj_worker;

extern WSFJ_HIDDEN unsigned wsfj_num_workers; /* constant while the runtime runs */

/* Makes wsfj_workers, as many as the placement has. False if there is no memory. */
bool wsfj_team_make(const struct wsfj_topology *topology, const struct wsfj_placement *placement);

/* Makes a thread for each worker. The threads wait for wsfj_team_start(). Returns how many could be started; prints a
 * line if fewer. */
unsigned wsfj_team_recruit(void);

/* The placement has been reduced: keeps its first workers only. False if there is no memory; then
 * wsfj_team_join() and wsfj_team_free() must follow. */
bool wsfj_team_shrink(const struct wsfj_topology *topology, const struct wsfj_placement *placement);

/* The first workers, one for each of the `cpus` processors, begin with a search. The others begin asleep: a search
 * would only take a processor from those that work. */
void wsfj_team_start(unsigned cpus);

/* False if no thread could be started: then each task runs serially on the calling thread, and no stack has a worker.
 * Constant while the runtime runs. */
bool wsfj_team_has_threads(void);

/* The first worker that is bound to the caller's processor; NULL if there is none. A hint: the kernel may move the
 * caller at any time. Thread-safe while the runtime runs. */
struct wsfj_worker *wsfj_team_here(void);

/* Binds the calling thread to the worker's processors. */
void wsfj_team_bind(struct wsfj_worker *worker);

/* The thread of a worker. */
struct wsfj_team_thread {
    pid_t tid; /* 0: it has not begun yet */
    const unsigned *cpus;
    unsigned num_cpus; /* to which it is bound; 0: it is not */
};
struct wsfj_team_thread wsfj_team_thread(unsigned worker);

/* Stops the workers, ends the threads and waits for their end: of a team that runs or has not been started. */
void wsfj_team_join(void);

void wsfj_team_free(void);

/* Forgets the workers without freeing their memory. */
void wsfj_team_forget(void);

#endif
