/* SPDX-License-Identifier: MIT */
/* The names of tasks and marks in a trace. They are copied at their first use, since their library may be unloaded. */
#ifndef WSFJ_OBSERVE_TRACE_NAMES_H
#define WSFJ_OBSERVE_TRACE_NAMES_H

#include "base/base.h"

struct wsfj_trace_name {
    const void *key;
    char text[96];
    char where[64]; /* file:line, or nothing */
};

/* False if there is no memory. */
bool wsfj_trace_names_start(void);
void wsfj_trace_names_stop(void);

/* The index of a name, which is added if it is new: of a task's kind, of a function, or of a text. 0 if the table is
 * full. */
uint32_t wsfj_trace_name_of_kind(const struct wsfj_kind *kind);
uint32_t wsfj_trace_name_of_function(void (*function)(void *));
uint32_t wsfj_trace_name_of_text(const char *text);

/* Safe in signal handlers. Index 0 is always valid. */
const struct wsfj_trace_name *wsfj_trace_name(uint32_t index);

/* In the child of a fork. */
void wsfj_trace_names_forget(void);

#endif
