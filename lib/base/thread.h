/* SPDX-License-Identifier: MIT */
/* Makes and names the runtime's threads. */
#ifndef WSFJ_BASE_THREAD_H
#define WSFJ_BASE_THREAD_H

#include "base/base.h"

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

/* What the loop of a worker's thread and the handler of a first ws_init() need; sanitizers need more. */
#define WSFJ_LOOP_STACK ((size_t)512 << 10)

/* Makes a thread that takes no signals, with at least `stack` bytes of stack. Returns 0 or the error of
 * pthread_create(). */
int wsfj_thread_make(pthread_t *id, size_t stack, void *(*function)(void *), void *argument);

/* Names the calling thread wsfj-NUMBER, for debuggers and top. */
void wsfj_thread_name(unsigned number);

/* The kernel's number of the calling thread. */
pid_t wsfj_thread_id(void);

/* Blocks the signals that no thread of the library takes: all but those of its own faults and the profiler's. Stores
 * the caller's mask in *before. */
void wsfj_thread_block_signals(sigset_t *before);

#endif
