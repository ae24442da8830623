/* SPDX-License-Identifier: MIT */
/*
 * A guest serves a worker. Most roots end without having left their stack, and then the guest has nothing else to run: it
 * ends the region and leaves, without the loop of serve.c.
 */
#ifndef WSFJ_API_GUEST_ROOT_H
#define WSFJ_API_GUEST_ROOT_H

#include "worker/worker.h"

/* Serves the worker until the guest's region is finished or leaves it nothing to run. `root`: a fresh stack, with the
 * region's root. */
enum wsfj_served wsfj_guest_root_run(struct wsfj_worker *worker, struct wsfj_stack *root);

/* Before the first thread starts. */
void wsfj_guest_root_begin(void);

#endif
