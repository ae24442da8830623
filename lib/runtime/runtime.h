/* SPDX-License-Identifier: MIT */
/* Start, use and stop: only the order of what other modules do. runtime.c also has the public functions for it. */
#ifndef WSFJ_RUNTIME_RUNTIME_H
#define WSFJ_RUNTIME_RUNTIME_H

/* Counts the caller as a user (worker/use.h); starts the runtime before if it is down. 0 or the error of ws_init(). */
int wsfj_runtime_enter(void);

#endif
