/* SPDX-License-Identifier: MIT */
/*
 * The program's own source of work, ws_config.poll: workers that have nothing to do call it before they sleep. It
 * stands where Go's scheduler has its network poller.
 */
#ifndef WSFJ_IDLE_POLL_H
#define WSFJ_IDLE_POLL_H

#include "base/base.h"

/* Calls the program's function, unless another thread is in it. True if there is something to do now. */
bool wsfj_poll(void);

/* In the child of a fork: no thread is in the function. */
void wsfj_poll_forget(void);

#endif
