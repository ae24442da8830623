/* SPDX-License-Identifier: MIT */
/* What doc/locks.md and tests/build/locks.c take for granted: error-checking mutexes, and a task that moves. */
#ifndef TESTS_BUILD_LOCKS_H
#define TESTS_BUILD_LOCKS_H

#include "../sanitizers/elsewhere.h"
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock, recursive;

static __attribute__((constructor)) void make_mutexes(void)
{
    pthread_mutexattr_t kind;

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    pthread_mutexattr_destroy(&kind);
}

static WS_TASK_VOID(stolen, struct elsewhere *, e)
{
    elsewhere_child_begins(e);
    elsewhere_child_ends(e);
}

/* Spawns and syncs. With two workers, the task comes back on another thread. Once in a process. */
static __attribute__((noinline, unused)) void work(void)
{
    static struct elsewhere e;
    ws_frame();

    ws_spawn(stolen, &e);
    if (ws_num_workers() == 2)
        elsewhere_before_sync(&e);
    else
        raise_flag(&e.other_runs);
    ws_sync();
    raise_flag(&e.resumed);
}

#endif
