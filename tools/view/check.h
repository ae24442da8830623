/* SPDX-License-Identifier: MIT */
/* Whether the events of a trace fit together. */
#ifndef WSFJ_VIEW_CHECK_H
#define WSFJ_VIEW_CHECK_H

#include "trace.h"

/* False: source->error names the first mistake. */
bool view_check(const struct view_trace *trace, struct view_source *source);

#endif
