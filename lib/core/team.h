/* SPDX-License-Identifier: MIT */
/*
 * The workers as a whole: the array, its threads, where they are bound. Called by runtime.c at start and stop, one
 * thread at a time.
 */
#ifndef WSFJ_CORE_TEAM_H
#define WSFJ_CORE_TEAM_H

#include "base/base.h"

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

/* How many CPUs the masks of all workers' threads and of the process's first thread have, taken together; UINT_MAX if
 * that is not known, or there are no threads. Binds a thread to its place again if its mask has become larger than that
 * place: after a mask has shrunk and grown, all threads are bound as before. Not while threads start. */
unsigned wsfj_team_cpus(void);

/* Lets the calling thread, which the library has made, run on all CPUs of the program: those of its own mask, of the
 * process's first thread and of all workers, as wsfj_team_cpus() counts them. A new thread has the mask of its maker,
 * which may be bound. */
void wsfj_team_spread(void);

/* Stops the workers, ends the threads and waits for their end: of a team that runs or has not been started. */
void wsfj_team_join(void);

void wsfj_team_free(void);

/* Forgets the workers without freeing their memory. */
void wsfj_team_forget(void);

#endif
