/* SPDX-License-Identifier: MIT */
/* Start, use, stop: only wiring. The public functions are at the end of runtime.c. */
#ifndef WSFJ_RUNTIME_H
#define WSFJ_RUNTIME_H

#include "base.h"

/* One use of the runtime, from enter to leave. */
struct wsfj_use {
    unsigned generation; /* of processes: a child that a fork has made meanwhile is another one */
    int cancel_state;
};

/* Counts the caller as a user of the runtime, which is started if need be, and puts off the thread's cancellation until
 * it leaves. 0 or the error of ws_init(), and then there is nothing to leave. */
int wsfj_runtime_enter(struct wsfj_use *use);
void wsfj_runtime_leave(const struct wsfj_use *use);

/* True while any thread is inside ws_run(). */
bool wsfj_runtime_active(void);

#endif
