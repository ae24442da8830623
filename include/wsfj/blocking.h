/* SPDX-License-Identifier: MIT */
/**
 * @file blocking.h Tasks that wait for the kernel: reads, sleeps, locks held elsewhere. Without these calls a worker
 * that waits leaves its processor idle (others still steal its tasks). From ws_blocking_begin() to ws_blocking_end(), a
 * *blocking section*, the worker's slot is lent to another thread, so that as many tasks run as there are workers
 * (after the system calls of Go's scheduler, which hands over its processors in the same way).
 */
#ifndef WSFJ_BLOCKING_H
#define WSFJ_BLOCKING_H
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

static inline void ws_blocking_begin(void)
{
}
static inline void ws_blocking_end(void)
{
}

#else

/**
 * Begins a blocking section: the calling task is about to wait for something other than tasks. Its worker runs other
 * tasks on a spare thread; this thread keeps the calling task. Sections nest; only the outermost one counts. Outside
 * tasks nothing happens. Without a spare thread (ws_config::max_spares, no memory) the worker waits with its task, and
 * the first time a line on stderr says so.
 *
 * In a section the task belongs to no worker: ws_worker_id() is -1, and ws_submit() works as in a thread that is not a
 * worker. Children spawned before or in the section may run meanwhile. A ws_sync() or ws_group_wait() that must wait
 * first takes a worker's slot, as ws_blocking_end() does, and lends it again after the wait. A section costs 2 us, and
 * more if a thread must be woken: do not use one for shorter waits.
 */
void ws_blocking_begin(void);

/**
 * Ends a blocking section. The task continues at once if no thread has taken the worker's slot; else it waits for its
 * turn in the global queue, and may resume on another thread, as after ws_sync(). errno keeps its value, but the
 * compiler may use its old address: read errno inside the section. Without an open section nothing happens.
 */
void ws_blocking_end(void);

#endif

/* For WS_BLOCKING: a variable whose clean-up ends the section, however the block is left. */
static inline int wsfj_blocking_enter(void)
{
    ws_blocking_begin();
    return 1;
}

static inline void wsfj_blocking_leave(const int *wsfj_open)
{
    (void)wsfj_open;
    ws_blocking_end();
}

/** WS_BLOCKING { ... }: runs the block in a blocking section. break, continue, return and goto may leave it, too. */
#define WS_BLOCKING WSFJ_BLOCKING_AS(__COUNTER__)
/* Sections nest: each variable needs a name of its own. */
#define WSFJ_BLOCKING_AS(n) WSFJ_BLOCKING_BY(n)
#define WSFJ_BLOCKING_BY(n)                                                                                            \
    for (int wsfj_open_##n __attribute__((__cleanup__(wsfj_blocking_leave))) = wsfj_blocking_enter(); wsfj_open_##n;   \
         wsfj_open_##n = 0)

#ifdef __cplusplus
}
#endif

#endif
