/* SPDX-License-Identifier: MIT */
/**
 * @file blocking.h
 * Tasks that wait for the kernel: reads, sleeps, locks held elsewhere. Without a word from the program a worker that
 * waits is a processor that does nothing (others still steal its tasks). Between ws_blocking_begin() and
 * ws_blocking_end() the worker's place is lent to another thread, so that as many tasks run as there are workers (after
 * the system calls of Go's scheduler, whose processors are handed over in the same way).
 */
#ifndef WSFJ_BLOCKING_H
#define WSFJ_BLOCKING_H

#ifdef WSFJ_PROFILE
#include "inline/renamed.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef WSFJ_SERIAL

static inline void ws_blocking_begin(void)
{
}
static inline void ws_blocking_end(void)
{
}

#else

/**
 * The calling task is about to wait for something other than tasks. Its worker goes on with other tasks, on a spare thread;
 * this thread keeps the calling task. Brackets nest; only the outermost one counts. Outside tasks nothing happens. Without a
 * spare thread (ws_config::max_spares, no memory) the worker waits with its task, and a line on stderr says so once.
 *
 * In the bracket the task belongs to no worker: ws_worker_id() is -1, and ws_submit() does what it does in a thread that is
 * no worker. Children spawned before the bracket or in it may run meanwhile. A ws_sync() or ws_group_wait() that has to wait
 * first takes a worker's place, as ws_blocking_end() does, and lends it again after the wait. A bracket costs 2 us, and more
 * if a thread has to be woken: use none for shorter waits.
 */
void ws_blocking_begin(void);

/**
 * The wait is over. Goes on at once if nobody has taken the worker's place so far; else the task waits for its turn in the
 * global queue, and may come back on another thread, as after ws_sync(). errno has its value from before, but the
 * compiler may know its former address: read it in the bracket. Without a bracket to end nothing happens.
 */
void ws_blocking_end(void);

#endif

/* For WS_BLOCKING: a variable whose end is the bracket's, however the block is left. */
static inline int wsfj_blocking_enter(void)
{
    ws_blocking_begin();
    return 1;
}

static inline void wsfj_blocking_leave(const int *open)
{
    (void)open;
    ws_blocking_end();
}

/** WS_BLOCKING { ... }: the block in a bracket. It may be left by break, continue, return and goto, too. */
#define WS_BLOCKING WSFJ_BLOCKING_AS(__COUNTER__)
/* Brackets nest: each variable has a name of its own. */
#define WSFJ_BLOCKING_AS(n) WSFJ_BLOCKING_BY(n)
#define WSFJ_BLOCKING_BY(n)                                                                                            \
    for (int wsfj_open_##n __attribute__((cleanup(wsfj_blocking_leave))) = wsfj_blocking_enter(); wsfj_open_##n;       \
         wsfj_open_##n = 0)

#ifdef __cplusplus
}
#endif

#endif
