/* SPDX-License-Identifier: MIT */
/* The dump: who runs what, who waits for whom, and the top frames of each stack. WSFJ_DUMP_SIGNAL, WSFJ_WATCHDOG. */
#ifndef WSFJ_OBSERVE_DUMP_H
#define WSFJ_OBSERVE_DUMP_H

#include "observe/textbuf.h"

/* Only the watching thread. `why` in words; `now` by wsfj_now(); `age` since the start, both in nanoseconds. Takes up to a
 * second where threads do not answer. */
void wsfj_dump(struct wsfj_textbuf *sheet, const char *why, uint64_t now, uint64_t age);

#endif
