/* SPDX-License-Identifier: MIT */
/**
 * @file pin.h
 * Tasks that must stay on their thread: thread-local data, libraries that know their caller by its thread (MPI with
 * MPI_THREAD_FUNNELED, OpenGL contexts, errno kept across a wait). Without a pin a task that was suspended goes on on
 * whichever thread finished what it waited for.
 */
#ifndef WSFJ_PIN_H
#define WSFJ_PIN_H

#ifdef WSFJ_PROFILE
#include "inline/renamed.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef WSFJ_SERIAL

static inline int ws_pin(void)
{
    return 0;
}
static inline void ws_unpin(void)
{
}

#else

/**
 * From here to ws_unpin(), or to its end, the calling task stays on the thread it is on now, and no other task runs on
 * that thread: a ws_sync(), ws_group_wait(), ws_yield() or ws_blocking_end() that has to wait occupies the thread, while
 * another one takes over its worker. That one is reserved here, so that no wait can fail later. What the task calls or runs
 * inline at a sync is on the same thread, too; spawned children may run anywhere. Pins nest; the outermost one counts.
 *
 * A wait in a pin costs two wake-ups of threads, some 20 to 100 us, instead of 0.3 us.
 *
 * @return 0, or EAGAIN: there is no thread to be had (ws_config::max_spares, no memory; a line says so once), and the task
 * is not pinned. Outside tasks 0, and nothing happens: such code never leaves its thread.
 */
int ws_pin(void);

/** Ends a pin. The task may go on elsewhere after its next wait. Without a pin to end nothing happens. */
void ws_unpin(void);

#endif

/* For ws_pinned(): a variable whose end is the pin's. */
static inline void wsfj_pin_close(const int *error)
{
    if (!*error)
        ws_unpin();
}

/** ws_pinned(); as a line of its own pins the task from there to the end of the block; as its first line, all of it. However
 * the block is left, the pin ends. */
#define ws_pinned() const int wsfj_pinned __attribute__((cleanup(wsfj_pin_close), unused)) = ws_pin()

#ifdef __cplusplus
}
#endif

#endif
