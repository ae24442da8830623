/* SPDX-License-Identifier: MIT */
#include "runtime/init_lock.h"

#include "base/atomic.h"
#include "base/failpoint.h"
#include "idle/poll.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t holder; /* the thread that has the mutex, or 0 */
static bool is_forking;  /* under the mutex, as the next: fork() has it */
static int cancel_state; /* what the holder had before: it must not end here */
static void (*forget_in_child)(void), (*leave_process)(void);
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool at_fork, at_exit, at_quick; /* which handlers are registered; written by the once, then under the mutex */

/* What atexit() is made of. A sanitizer has an atexit() of its own, which forgets from where it is called. */
extern int __cxa_atexit(void (*function)(void *), void *argument, void *dso);
extern __attribute__((visibility("hidden"))) void *__dso_handle;

void wsfj_init_unlock(void)
{
    int before = cancel_state;

    store_relaxed(&holder, (uintptr_t)0);
    pthread_mutex_unlock(&mutex);
    pthread_setcancelstate(before, NULL);
}

/* What other threads write there is never equal. */
static bool is_mine(void)
{
    return load_relaxed(&holder) == (uintptr_t)pthread_self();
}

/* In the middle of a start other libraries' locks may be taken (hwloc has one), which the child could never free. If
 * this thread has the gate, then a signal handler forks that has interrupted it: waiting would be for ever. So it could
 * be in ws_config.poll, which runs on a thread that a stop waits for. */
static void before_fork(void)
{
    if (is_mine() || wsfj_poll_inside())
        return;
    wsfj_init_lock();
    is_forking = true;
}

static void after_in_parent(void)
{
    if (!is_mine() || !is_forking)
        return;
    is_forking = false;
    wsfj_init_unlock();
}

static void after_in_child(void)
{
    bool locked = is_mine() && is_forking;

    is_forking = false;
    store_relaxed(&holder, (uintptr_t)0);
    pthread_mutex_init(&mutex, NULL); /* its owner was another thread */
    if (locked)
        pthread_setcancelstate(cancel_state, NULL);
    if (forget_in_child)
        forget_in_child();
}

/* Before the gate is locked for the first time: a fork in between would leave the child a gate that nobody opens. */
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
    store_relaxed(&holder, (uintptr_t)pthread_self()); /* it is the same in the child of a fork */
}

bool wsfj_init_at_fork(void (*forget)(void))
{
    forget_in_child = forget;
    if (!at_fork)
        register_handlers(); /* there was no memory */
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
