/* SPDX-License-Identifier: MIT */
/*
 * Users of the runtime: threads inside ws_run(), ws_submit() and a few more calls, and phases. ws_fini() refuses to
 * stop the runtime while it has users. The first user starts the runtime (hooks.h).
 */
#ifndef WSFJ_WORKER_USE_H
#define WSFJ_WORKER_USE_H

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/hooks.h"
#include "base/thread.h"

#include <pthread.h>

enum wsfj_use_state {
    WSFJ_DOWN,
    WSFJ_UP,
    WSFJ_CLOSING /* ws_fini() checks whether it may stop the runtime: new users have to wait; the rest is as in UP */
};

extern WSFJ_HIDDEN enum wsfj_use_state wsfj_use_now; /* written under the init lock */
extern WSFJ_HIDDEN size_t wsfj_users;
extern WSFJ_HIDDEN unsigned wsfj_use_generation; /* of processes: written in the child of a fork, which has one thread */

/* The program's threads that have called in and not ended, and one for the process's first thread until that has ended
 * by pthread_exit(). 0: only tasks can still submit tasks. */
extern WSFJ_HIDDEN size_t wsfj_callers;

/* Counts a user whatever the state. */
static inline void wsfj_use_add(void)
{
    add_seq(&wsfj_users, 1);
}

static inline void wsfj_use_leave(void)
{
    sub_acq_rel(&wsfj_users, 1);
}

/* Counts the caller as a user if the runtime is up. False if it is down or CLOSING. Never waits. */
static inline bool wsfj_use_try_enter(void)
{
    wsfj_use_add(); /* before the load of the state: ws_fini() stores CLOSING, then loads the number of users */
    wsfj_chaos();
    if (load_seq(&wsfj_use_now) == WSFJ_UP)
        return true;
    wsfj_use_leave();
    return false;
}

/* The calling thread calls in. */
static inline void wsfj_use_call(void)
{
    if (WSFJ_UNLIKELY(wsfj_thread_is == WSFJ_THREAD_STRANGER))
        wsfj_hooks.caller_begins();
}

/* As wsfj_use_try_enter(), after starting the runtime if need be. 0 or the error of ws_init(). */
static inline int wsfj_use_enter(void)
{
    wsfj_use_call();
    return wsfj_use_try_enter() ? 0 : wsfj_hooks.enter();
}

/* A call that uses the runtime. From begin to end it is counted, and its thread cannot be cancelled. */
struct wsfj_use {
    unsigned generation;
    int cancel_state;
};

/* 0; or the error of ws_init(), and then wsfj_use_end() must not be called. */
static inline int wsfj_use_begin(struct wsfj_use *use)
{
    int error, cancel_state; /* not in `use`, whose other member may stay in a register then */

    /* A thread must not end while other threads run tasks of its region, or while it holds a queue's mutex. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    error = wsfj_use_enter();
    *use = (struct wsfj_use){wsfj_use_generation, cancel_state};
    if (error)
        pthread_setcancelstate(cancel_state, NULL);
    return error;
}

static inline void wsfj_use_end(const struct wsfj_use *use)
{
    if (use->generation == wsfj_use_generation)
        wsfj_use_leave();
    pthread_setcancelstate(use->cancel_state, NULL);
}

/* True from the end of the runtime's start to the beginning of its stop, in CLOSING too. */
bool wsfj_use_is_up(void);

/* True if there is a user: exact in CLOSING, when no new users come; else a hint. */
bool wsfj_use_any(void);

/* For runtime.c, under the init lock. */
enum wsfj_use_state wsfj_use_state(void);
void wsfj_use_become(enum wsfj_use_state state);

/* In the child of a fork: the runtime is down and has no users. A call that began in the parent may still end here. */
void wsfj_use_forget(void);

#endif
