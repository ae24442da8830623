/* SPDX-License-Identifier: MIT */
/*
 * Makes the workers from settings and machine, and starts them. For runtime.c, under the init lock.
 */
#ifndef WSFJ_RUNTIME_START_H
#define WSFJ_RUNTIME_START_H

#include "base/base.h"

/* 0, or a positive errno value: then everything is undone. */
int wsfj_start(const ws_config *config);

/* In the child of a fork: a thread of the library has the signal mask of the thread that started the runtime, unless a
 * task has changed it. From here on handlers of the program may run. */
void wsfj_start_restore_signals(void);

#endif
