/* SPDX-License-Identifier: MIT */
/**
 * @file pin.h Tasks that must stay on their thread, because of thread-local data or libraries that identify their
 * caller by its thread (MPI with MPI_THREAD_FUNNELED, OpenGL contexts, errno kept across a wait). Without a pin, a
 * suspended task may resume on another thread.
 */
#ifndef WSFJ_PIN_H
#define WSFJ_PIN_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#ifdef WSFJ_PROFILE
#include "inline/renamed.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined WSFJ_SERIAL || defined WSFJ_RACE

static inline int ws_pin(void)
{
    return 0;
}
static inline void ws_unpin(void)
{
}

#else

/**
 * Pins the calling task to its present thread, until ws_unpin() or the end of the task. No other task runs on that
 * thread: a ws_sync(), ws_group_wait(), ws_yield() or ws_blocking_end() that must wait occupies the thread, while a
 * spare thread serves its worker. ws_pin() reserves that spare thread, so that no later wait can fail. Functions that
 * the task calls, and children that it runs at a sync, run on the same thread; stolen children run on any. Pins nest;
 * the outermost one counts.
 *
 * A wait in a pin costs two wake-ups of threads, 20 to 100 us, instead of 0.3 us.
 *
 * @return 0; EAGAIN if there is no spare thread (ws_config::max_spares, no memory), and then the task is not pinned; the
 *         first time a line on stderr says so. Outside tasks 0, and nothing happens: such code never leaves its thread.
 */
int ws_pin(void);

/** Ends a pin. After its next wait, the task may resume on another thread. Without an open pin nothing happens. */
void ws_unpin(void);

#endif

/* For ws_pinned(): a variable whose clean-up ends the pin. */
static inline void wsfj_pin_close(const int *wsfj_error)
{
    if (!*wsfj_error)
        ws_unpin();
}

/** ws_pinned(); pins the task from this line to the end of the block, however the block is left. */
#define ws_pinned() const int wsfj_pinned __attribute__((__cleanup__(wsfj_pin_close), __unused__)) = ws_pin()

#ifdef __cplusplus
}
#endif

#endif
