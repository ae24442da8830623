/* SPDX-License-Identifier: MIT */
/* The time line's data, as the page's script reads it. */
#ifndef WSFJ_VIEW_DATA_H
#define WSFJ_VIEW_DATA_H

#include "sums.h"

#include <stdio.h>

/*
 * An object: length; workers; names: [text, where], the first three are searching, parked, surplus; ends and moments, by
 * number; lanes: for each a flat list of slices, each of them: time since the one before ended, duration, name, and if it
 * is a task stack, part, end; events: flat, each of them lane, time, moment, a, b, name; arrows: flat, each of them 0 for a
 * steal or 1 for a resumption, lane, time, lane, time; regions: flat, from, to. All times in nanoseconds.
 */
void view_put_data(FILE *out, const struct view_sums *sums);

#endif
