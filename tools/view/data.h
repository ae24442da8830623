/* SPDX-License-Identifier: MIT */
/* Writes the data of the time line for the page's script. */
#ifndef WSFJ_VIEW_DATA_H
#define WSFJ_VIEW_DATA_H

#include "sums.h"

#include <stdio.h>

/*
 * An object with these members. length. workers. names: [text, where]; the first three are searching, parked, surplus.
 * ends: texts by number. rows: for each event the text of its row and what its numbers are called; mark: the row of
 * marks. lanes: for each a flat list of slices; a slice is the time since the previous one ended, the duration, the
 * name, and for a task the stack, part and end. events: a flat list of lane, time, row, three numbers, name. arrows: a
 * flat list of 0 for a steal or 1 for a resumption, lane, time, lane, time. messages: the same, with a 2. ranks: a flat
 * list of each rank's number and first lane, if the trace is joined. Lane `workers` + n is the other threads of the n-th
 * rank. regions: a flat list of from, to. All times are nanoseconds.
 */
void view_put_data(FILE *out, const struct view_sums *sums);

#endif
