/* SPDX-License-Identifier: MIT */
/*
 * Tasks outside any region: a plain call of a task in a thread that serves no worker. The task runs serially; the
 * thread has a private deque for the time of the outermost call, and cannot be cancelled, as in a region.
 */
#ifndef WSFJ_API_SERIAL_H
#define WSFJ_API_SERIAL_H

#include "base/base.h"

struct wsfj_region;

/* As wsfj_serial_begin(), but NULL if there is no memory. */
struct wsfj_deque *wsfj_serial_try_begin(void);

/* Runs the root on the caller's own stack, like a serial program, but with no exceptions of the caller, as in a region
 * of workers. False if there is no memory for a deque. */
bool wsfj_serial_run(struct wsfj_region *region);

#endif
