/* SPDX-License-Identifier: MIT */
/* The library's own records of a run: its trace (WSFJ_TRACE), and the lines of WSFJ_SCHEDTRACE. */
#ifndef LAB_TRACE_H
#define LAB_TRACE_H

#include "lab.h"

/* One event of a trace: its phase in the Chrome format ('X' a slice, 'i' an instant), on a worker's lane. */
struct trace_event {
    char phase, name[48], category[16];
    unsigned worker;
    double begin_us, length_us;
};

/* From here on a runtime that starts writes NAME.json among the results, for Perfetto and for the experiment, and
 * prints its schedtrace each millisecond to NAME.schedtrace instead of standard error. */
void trace_begin(struct lab *lab);

/* The runtime has stopped. */
void trace_end(struct lab *lab);

/* Calls visit(context, event) for each slice and instant; returns their number. */
size_t trace_read(struct lab *lab, void (*visit)(void *context, const struct trace_event *event), void *context);

/* Calls visit(context, line) for each line of the schedtrace; returns their number. */
size_t trace_lines(struct lab *lab, void (*visit)(void *context, const char *line), void *context);

/* The number after KEY= in such a line; -1 if it has none. */
double trace_value(const char *line, const char *key);

#endif
