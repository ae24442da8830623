/* SPDX-License-Identifier: MIT */
#include "api/use.h"

#include "runtime/runtime.h"

#include <pthread.h>

static unsigned generation; /* of processes: written in the child of a fork, which has one thread */

int wsfj_call_begin(struct wsfj_call *call)
{
    int error;

    /* A thread must not end while others have a task of its region, or holding a queue's mutex. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &call->cancel_state);
    error = wsfj_runtime_enter();
    call->generation = generation;
    if (error)
        pthread_setcancelstate(call->cancel_state, NULL);
    return error;
}

void wsfj_call_end(const struct wsfj_call *call)
{
    if (call->generation == generation)
        wsfj_runtime_leave();
    pthread_setcancelstate(call->cancel_state, NULL);
}

void wsfj_call_forget(void)
{
    generation++;
}
