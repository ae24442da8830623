/* SPDX-License-Identifier: MIT */
/* One trace of several: of the ranks of an MPI job. */
#ifndef WSFJ_VIEW_JOIN_H
#define WSFJ_VIEW_JOIN_H

#include "trace.h"

struct view_part {
    const char *name; /* of the file */
    struct view_trace trace;
};

/*
 * Puts the lanes of all parts into one trace with one time axis and finds the messages. The parts are changed: put in order,
 * and cut as view_window_cut() does. What is odd is told on stderr. False: a line there says why they cannot be joined.
 */
bool view_join(struct view_trace *joined, struct view_part *parts, size_t count);

#endif
