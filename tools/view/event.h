/* SPDX-License-Identifier: MIT */
/* One event of the Chrome trace event format, as the library writes it (lib/observe/trace_json.c); everything else is
 * refused. */
#ifndef WSFJ_VIEW_EVENT_H
#define WSFJ_VIEW_EVENT_H

#include "trace.h"

/* Adds the event that stands at `place` to the trace. */
bool view_event_read(struct view_trace *trace, struct view_source *source, const json_t *event, size_t place);

/* Takes microseconds as nanoseconds. */
bool view_event_time(struct view_source *source, const json_t *object, const char *key, size_t place, uint64_t *ns);

#endif
