/* SPDX-License-Identifier: MIT */
/* Whether the runtime stops: then the loops of all its threads return. */
#ifndef WSFJ_WORKER_STOPPING_H
#define WSFJ_WORKER_STOPPING_H

#include "base/base.h"

/* By one thread at a time: at start false; at stop true, before the workers are woken. */
void wsfj_stopping_set(bool stopping);
bool wsfj_stopping(void);

#endif
