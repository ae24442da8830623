/* SPDX-License-Identifier: MIT */
/* The dump: what each worker runs, what each fiber waits for, and the top frames of each stack. WSFJ_DUMP_SIGNAL,
 * WSFJ_WATCHDOG. */
#ifndef WSFJ_OBSERVE_DUMP_H
#define WSFJ_OBSERVE_DUMP_H

#include "observe/textbuf.h"

/* Only for the watching thread. `why` in words; `now` by wsfj_now(); `age` since the start, both in nanoseconds. Takes
 * up to a second if threads do not answer. */
void wsfj_dump(struct wsfj_textbuf *text, const char *why, uint64_t now, uint64_t age);

#endif
