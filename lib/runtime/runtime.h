/* SPDX-License-Identifier: MIT */
/* Start, use, stop: only wiring. The public functions are at the end of runtime.c. */
#ifndef WSFJ_RUNTIME_H
#define WSFJ_RUNTIME_H

#include "base/base.h"

/* Counts the caller as a user of the runtime, which is started if need be. 0 or the error of ws_init(). */
int wsfj_runtime_enter(void);
void wsfj_runtime_leave(void);

/* The same, if the runtime runs. False if it does not, or if a ws_fini() is checking whether it may stop it. Never waits. */
bool wsfj_runtime_try_enter(void);

/* True from the end of its start to the beginning of its stop; also while a ws_fini() checks whether it may stop it. */
bool wsfj_runtime_is_up(void);

/* True while any thread is inside ws_run() or a phase. */
bool wsfj_runtime_active(void);

#endif
