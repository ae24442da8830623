/* SPDX-License-Identifier: MIT */
/*
 * Whether idle workers stay awake: for ever (WSFJ_WAIT=active, while regions run), or for the time of a phase, in which
 * a program starts many regions one soon after the other.
 */
#ifndef WSFJ_IDLE_PHASE_H
#define WSFJ_IDLE_PHASE_H

#include "base/base.h"

/* Workers without work go on searching, as long as any region runs. Thread-safe. */
bool wsfj_phase_hot(void);

/* In a phase, by a sequentially consistent load: for a worker that has just counted itself asleep. */
bool wsfj_phase_on(void);

/* In the child of a fork: no phase. */
void wsfj_phase_forget(void);

#endif
