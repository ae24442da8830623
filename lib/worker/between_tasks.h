/* SPDX-License-Identifier: MIT */
/*
 * Threads of the runtime between two tasks. The program's code runs there in ws_config.poll and, as the thread ends, in
 * destructors of pthread_key and of thread_local objects. It must not wait for workers, nor for a start or stop, which
 * may wait for the end of this thread: EDEADLK.
 */
#ifndef WSFJ_WORKER_BETWEEN_TASKS_H
#define WSFJ_WORKER_BETWEEN_TASKS_H

#include "base/thread.h"
#include "worker/own.h"

/* Whether the calling thread is the runtime's and runs no task. */
static inline bool wsfj_between_tasks(void)
{
    return WSFJ_UNLIKELY(wsfj_thread_is == WSFJ_THREAD_OURS) && wsfj_own_is_between_tasks();
}

#endif
