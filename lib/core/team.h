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

extern unsigned wsfj_num_workers; /* constant while the runtime runs */

/* Makes `wanted` threads, which wait for their workers. Returns how many could be started; if fewer, a line says so. */
unsigned wsfj_team_recruit(unsigned wanted);

/* Makes wsfj_workers, as many as the layout has. False if there is no memory. */
bool wsfj_team_make(const struct wsfj_topology *topology, const struct wsfj_placement *layout);

/* Sends each worker its thread. */
void wsfj_team_start(void);

/* False if no thread could be started: then each task runs serially on the thread that calls, and no stack ever has a
 * worker. Constant while the runtime runs. */
bool wsfj_team_has_threads(void);

/* The first worker that is bound to the processor the caller runs on; NULL if there is none. A hint, as the caller may
 * be moved at any time. Thread-safe while the runtime runs. */
struct wsfj_worker *wsfj_team_here(void);

/* Binds the calling thread where its worker is. */
void wsfj_team_bind(struct wsfj_worker *worker);

/* The CPUs in the masks of all threads and of the process's first one, taken together; UINT_MAX if that is not known, or
 * there are no threads. A thread that has been given back more than its place is bound to it again: after a mask has
 * shrunk and grown all sit where they sat. Not while threads start. */
unsigned wsfj_team_cpus(void);

/* Ends all threads and waits for their end: before they have workers, or after the workers have been told to stop. */
void wsfj_team_dismiss(void);

/* Stops the workers, ends the threads and waits for their end. */
void wsfj_team_join(void);

void wsfj_team_free(void);

/* There are no workers any more, and the memory is left alone. */
void wsfj_team_forget(void);

#endif
