/* SPDX-License-Identifier: MIT */
/*
 * The array of workers, where they are bound, and which of them is near a thread. One thread at a time makes and frees it,
 * at start and stop.
 */
#ifndef WSFJ_WORKER_WORKERS_H
#define WSFJ_WORKER_WORKERS_H

#include "base/base.h"

#include <sys/types.h>

struct wsfj_placement;
struct wsfj_topology;
struct wsfj_worker;

extern WSFJ_HIDDEN unsigned wsfj_num_workers; /* constant while the runtime runs */

/* Makes wsfj_workers, as many as the placement has. False if there is no memory. */
bool wsfj_workers_make(const struct wsfj_topology *topology, const struct wsfj_placement *placement);

/* The placement has been reduced: keeps its first workers only. False if there is no memory; then
 * wsfj_workers_free() must follow. */
bool wsfj_workers_shrink(const struct wsfj_topology *topology, const struct wsfj_placement *placement);

/* The first worker that is bound to the caller's processor; NULL if there is none. A hint: the kernel may move the
 * caller at any time. Thread-safe while the runtime runs. */
struct wsfj_worker *wsfj_worker_here(void);

/* Binds the calling thread to the processors that the worker may use. */
void wsfj_worker_bind(struct wsfj_worker *worker);

/* The thread of a worker. */
struct wsfj_worker_thread {
    pid_t tid; /* 0: it has not begun yet */
    const unsigned *cpus;
    unsigned num_cpus; /* to which it stays bound; 0: it does not, or looks after its mask itself (reach.h) */
};
struct wsfj_worker_thread wsfj_worker_thread(unsigned worker);

void wsfj_workers_free(void);

/* Forgets the workers without freeing their memory. */
void wsfj_workers_forget(void);

#endif
