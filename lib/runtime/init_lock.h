/* SPDX-License-Identifier: MIT */
/* One at a time: start, stop and fork(). And what a process calls at fork(), exit() and dlclose(). For runtime.c. */
#ifndef WSFJ_GATE_H
#define WSFJ_GATE_H

#include "base/base.h"

void wsfj_gate_lock(void);
void wsfj_gate_unlock(void);

/* A fork() waits until the gate is free. From now on the child of each calls `forget` before fork() returns. False if
 * there is no memory; so with the next one. */
bool wsfj_gate_at_fork(void (*forget)(void));

/* Has `leave` called when the program exits or unloads the shared object that this code is linked into, and `leave_quickly`
 * at quick_exit(). Each is called once, however often they are registered here. */
bool wsfj_gate_at_exit(void (*leave)(void), void (*leave_quickly)(void));

#endif
