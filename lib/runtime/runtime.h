/* SPDX-License-Identifier: MIT */
/* Start, use, stop: only wiring. The public functions are at the end of runtime.c. */
#ifndef WSFJ_RUNTIME_RUNTIME_H
#define WSFJ_RUNTIME_RUNTIME_H

/* Counts the caller as a user (core/use.h), after starting the runtime if it is down. 0 or the error of ws_init(). */
int wsfj_runtime_enter(void);

#endif
