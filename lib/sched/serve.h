/* SPDX-License-Identifier: MIT */
/* The loop of a thread that serves a worker: run, search, sleep. It runs on the thread's own stack. */
#ifndef WSFJ_SCHED_SERVE_H
#define WSFJ_SCHED_SERVE_H

#include "worker/worker.h"

/* A thread of the runtime serves a worker until wsfj_park_stop(). */
enum wsfj_served wsfj_serve(struct wsfj_worker *worker, struct wsfj_thread *thread);

/* The loop of a thread that serves a worker: runs `s`, unless it `has_left` its stack just now, then all there is to run.
 * `guest`: NULL, or the region of a guest, which returns when that is finished or leaves it nothing to run. */
enum wsfj_served wsfj_serve_loop(struct wsfj_server *self, struct wsfj_stack *s, bool has_left,
                                 struct wsfj_region *guest);

/* Before the first thread starts. */
void wsfj_serve_begin(void);

#endif
