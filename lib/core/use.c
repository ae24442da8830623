/* SPDX-License-Identifier: MIT */
#include "core/use.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "core/hooks.h"

#include <pthread.h>

static enum wsfj_use_state state; /* written under the lock of runtime.c */
static size_t users;
static unsigned generation; /* of processes: written in the child of a fork, which has one thread */

bool wsfj_use_try_enter(void)
{
    wsfj_use_add(); /* before the load of the state: ws_fini() stores CLOSING, then loads `users` */
    wsfj_chaos();
    if (load_seq(&state) == WSFJ_UP)
        return true;
    wsfj_use_leave();
    return false;
}

int wsfj_use_enter(void)
{
    if (wsfj_use_try_enter())
        return 0;
    return wsfj_hooks.enter();
}

void wsfj_use_leave(void)
{
    sub_acq_rel(&users, 1);
}

int wsfj_use_begin(struct wsfj_use *use)
{
    int error;

    /* A thread must not end while other threads run tasks of its region, or while it holds a queue's mutex. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &use->cancel_state);
    error = wsfj_use_enter();
    use->generation = generation;
    if (error)
        pthread_setcancelstate(use->cancel_state, NULL);
    return error;
}

void wsfj_use_end(const struct wsfj_use *use)
{
    if (use->generation == generation)
        wsfj_use_leave();
    pthread_setcancelstate(use->cancel_state, NULL);
}

bool wsfj_use_is_up(void)
{
    return load_seq(&state) != WSFJ_DOWN;
}

bool wsfj_use_any(void)
{
    return load_seq(&users) > 0;
}

enum wsfj_use_state wsfj_use_state(void)
{
    return load_relaxed(&state);
}

void wsfj_use_become(enum wsfj_use_state next)
{
    store_seq(&state, next);
}

void wsfj_use_add(void)
{
    add_seq(&users, 1);
}

void wsfj_use_forget(void)
{
    generation++;
    store_seq(&state, WSFJ_DOWN);
    store_seq(&users, 0);
}
