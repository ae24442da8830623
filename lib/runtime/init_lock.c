/* SPDX-License-Identifier: MIT */
#include "runtime/init_lock.h"

#include "base/atomic.h"
#include "base/failpoint.h"
#include "worker/between_tasks.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t holder; /* the thread that has the mutex, or 0 */
static bool is_forking;  /* under the mutex, as the next: a fork() holds it */
static int cancel_state; /* the holder's before: it must not be cancelled here */
static void (*hold_locks)(void), (*release_locks)(void), (*forget_in_child)(void), (*leave_process)(void);
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool at_fork, at_exit, at_quick; /* which handlers are registered; written in the `once`, then under the mutex */

/* atexit() calls this one. A sanitizer's own atexit() does not pass on which shared object has called. */
extern int __cxa_atexit(void (*function)(void *), void *argument, void *dso);
extern __attribute__((visibility("hidden"))) void *__dso_handle;

void wsfj_init_unlock(void)
{
    int before = cancel_state;

    store_relaxed(&holder, (uintptr_t)0);
    pthread_mutex_unlock(&mutex);
    pthread_setcancelstate(before, NULL);
}

/* Exact without a lock: other threads store other values. */
static bool is_mine(void)
{
    return load_relaxed(&holder) == (uintptr_t)pthread_self();
}

/* fork() waits for a start in another thread: a start may hold locks of other libraries (hwloc has one), which the
 * child could never free. If this thread already holds the init lock, fork() was called from a signal handler that
 * interrupted it; waiting would deadlock. Waiting on a thread of the library outside tasks could deadlock, too: a stop
 * waits for its end. */
static void before_fork(void)
{
    if (is_mine() || wsfj_between_tasks())
        return;
    wsfj_init_lock();
    is_forking = true;
    if (hold_locks)
        hold_locks();
}

static void after_in_parent(void)
{
    if (!is_mine() || !is_forking)
        return;
    is_forking = false;
    if (release_locks)
        release_locks();
    wsfj_init_unlock();
}

static void after_in_child(void)
{
    bool locked = is_mine() && is_forking;

    is_forking = false;
    store_relaxed(&holder, (uintptr_t)0);
    pthread_mutex_init(&mutex, NULL); /* another thread may have held it */
    if (locked)
        pthread_setcancelstate(cancel_state, NULL);
    if (forget_in_child)
        forget_in_child();
}

/* Before the first lock: a fork() without these handlers would leave the child a lock that is never released. */
static void register_handlers(void)
{
    at_fork = !wsfj_failpoint(WSFJ_AT_ALLOC) && pthread_atfork(before_fork, after_in_parent, after_in_child) == 0;
}

void wsfj_init_lock(void)
{
    int before;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_once(&once, register_handlers);
    pthread_mutex_lock(&mutex);
    cancel_state = before;
    store_relaxed(&holder, (uintptr_t)pthread_self()); /* pthread_self() is the same in the child of a fork */
}

bool wsfj_init_at_fork(void (*hold)(void), void (*release)(void), void (*forget)(void))
{
    hold_locks = hold;
    release_locks = release;
    forget_in_child = forget;
    if (!at_fork)
        register_handlers(); /* the first time there was no memory */
    return at_fork;
}

static void leave(void *unused)
{
    (void)unused;
    leave_process();
}

bool wsfj_init_at_exit(void (*leave_it)(void), void (*leave_it_quickly)(void))
{
    leave_process = leave_it;
    if (!at_exit)
        at_exit = !wsfj_failpoint(WSFJ_AT_ALLOC) && __cxa_atexit(leave, NULL, &__dso_handle) == 0;
    if (!at_quick)
        at_quick = at_quick_exit(leave_it_quickly) == 0; /* if that fails, quick_exit() writes nothing */
    return at_exit;
}
