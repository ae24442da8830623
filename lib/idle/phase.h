/* SPDX-License-Identifier: MIT */
/*
 * Whether idle workers stay awake: for ever (WSFJ_WAIT=active, while regions run), or during a phase, in which a
 * program starts many regions in quick succession.
 */
#ifndef WSFJ_IDLE_PHASE_H
#define WSFJ_IDLE_PHASE_H

#include "base/base.h"

/* Whether workers without work keep searching as long as a region runs. Thread-safe. */
bool wsfj_phase_hot(void);

/* Whether there is a phase, by a sequentially consistent load: for a worker that has just counted itself asleep. */
bool wsfj_phase_on(void);

/* One phase more. The caller then wakes all sleepers. */
void wsfj_phase_begin(void);

/* One phase less. False: there is none. */
bool wsfj_phase_end(void);

/* In the child of a fork: no phase. */
void wsfj_phase_forget(void);

#endif
