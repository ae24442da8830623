/* SPDX-License-Identifier: MIT */
/* With WSFJ_DISPLAY=1: why ws_fini() returns EBUSY, and which threads are in the way. At most once a second. */
#ifndef WSFJ_OBSERVE_BUSY_H
#define WSFJ_OBSERVE_BUSY_H

#include "base/base.h"

/* Prints one line: the caller itself is inside a task. */
void wsfj_busy_say_caller(void);

/* Prints a line, and one for each task that a thread runs or that waits. Under the init lock, while the runtime is
 * up. */
void wsfj_busy_say(void);

#endif
