/* SPDX-License-Identifier: MIT */
/*
 * The program's own source of work, ws_config.poll: asked by workers that have nothing to do, before they sleep. It has
 * the place of the network poller in Go's scheduler.
 */
#ifndef WSFJ_IDLE_POLL_H
#define WSFJ_IDLE_POLL_H

#include "base/base.h"

/* Asks, unless another worker is asking. True if there is something to do now. */
bool wsfj_poll(void);

/* Whether the calling thread is inside the program's function: it must not wait there for what workers do. */
bool wsfj_poll_inside(void);

/* In the child of a fork: nobody asks. */
void wsfj_poll_forget(void);

#endif
