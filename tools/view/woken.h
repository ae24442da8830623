/* SPDX-License-Identifier: MIT */
/*
 * A worker's sleep ends in two steps: another thread wakes it, and later the worker runs. In between it waits for a
 * processor, and does not sleep for want of work.
 */
#ifndef WSFJ_VIEW_WOKEN_H
#define WSFJ_VIEW_WOKEN_H

#include "trace.h"

/* Splits each slice of sleep where the worker is woken. False: no memory. */
bool view_woken_split(struct view_trace *trace);

#endif
