/* SPDX-License-Identifier: MIT */
/* WSFJ_SCHEDTRACE: a line for the runtime and a line for each worker, like Go's schedtrace. */
#ifndef WSFJ_OBSERVE_SCHEDTRACE_H
#define WSFJ_OBSERVE_SCHEDTRACE_H

#include "observe/textbuf.h"

/* `age`: nanoseconds since the start. */
void wsfj_schedtrace(struct wsfj_textbuf *text, uint64_t age);

#endif
