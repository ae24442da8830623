/* SPDX-License-Identifier: MIT */
/*
 * The program's own source of work, ws_config.poll: workers that have nothing to do call it before they sleep. It
 * stands where Go's scheduler has its network poller.
 */
#ifndef WSFJ_IDLE_POLL_H
#define WSFJ_IDLE_POLL_H

#include "base/atomic.h"
#include "base/base.h"

extern WSFJ_HIDDEN unsigned wsfj_poll_asking; /* 1: a thread is in the program's function; else 0 */
bool wsfj_poll_asks(void);                    /* whether that is the calling one */

/* Calls the program's function, unless another thread is in it. True if there is something to do now. */
bool wsfj_poll(void);

/* Whether the calling thread is inside the program's function. It must not wait there for what workers do. */
static inline bool wsfj_poll_inside(void)
{
    return load_relaxed(&wsfj_poll_asking) && wsfj_poll_asks();
}

/* In the child of a fork: no thread is in the function. */
void wsfj_poll_forget(void);

#endif
