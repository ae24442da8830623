/* SPDX-License-Identifier: MIT */
/* The lock that start, stop and fork() hold, and the handlers of fork(), exit() and dlclose(). For runtime.c. */
#ifndef WSFJ_RUNTIME_INIT_LOCK_H
#define WSFJ_RUNTIME_INIT_LOCK_H

#include "base/base.h"

void wsfj_init_lock(void);
void wsfj_init_unlock(void);

/* From now on fork() takes the lock and calls `hold`; then its parent calls `release`, its child `forget`, before fork()
 * returns. `hold` and `release` are left out where the lock is. False if there is no memory, here and below. */
bool wsfj_init_at_fork(void (*hold)(void), void (*release)(void), void (*forget)(void));

/* Has `leave` called when the program exits or unloads the shared object that this code is linked into, and
 * `leave_quickly` at quick_exit(). Each is called once, however often they are registered here. */
bool wsfj_init_at_exit(void (*leave)(void), void (*leave_quickly)(void));

#endif
