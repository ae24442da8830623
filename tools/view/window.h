/* SPDX-License-Identifier: MIT */
/*
 * The part of a trace of which everything is known. A worker's ring keeps its newest events only; before the oldest of
 * them nothing is known of the worker, not even that it was idle. So a trace that has lost events begins where the last
 * of the workers with lost events begins.
 */
#ifndef WSFJ_VIEW_WINDOW_H
#define WSFJ_VIEW_WINDOW_H

#include "trace.h"

/* Leaves out what was before; trace->cut is how much that is. Does nothing if no event was dropped. */
void view_window_cut(struct view_trace *trace);

#endif
