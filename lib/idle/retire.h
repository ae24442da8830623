/* SPDX-License-Identifier: MIT */
/*
 * Surplus workers (cpu_limit.h) retire: they sleep without being counted. No waker may wake them, and no guest may take
 * their slots (PARK-7).
 */
#ifndef WSFJ_IDLE_RETIRE_H
#define WSFJ_IDLE_RETIRE_H

#include "base/base.h"

struct wsfj_worker;

/* Retires the worker if it is asleep and surplus; makes it a sleeper if it is retired and may run. Called after each
 * step that may have made one of these true. Returns whether the worker has become a sleeper again: the caller must
 * then recheck. */
bool wsfj_retire_update(struct wsfj_worker *worker);

/* The workers [from, to) have become surplus or have ceased to be: updates each. If some are sleepers again, wakes a
 * worker if there is work; in a phase wakes all that may run. */
void wsfj_retire_change(unsigned from, unsigned to);

#endif
