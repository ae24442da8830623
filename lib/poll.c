/* SPDX-License-Identifier: MIT */
#include "poll.h"

#include "atomic.h"
#include "runtime.h"
#include "settings.h"

#include <pthread.h>

static bool asking;
static pthread_t who; /* while `asking`; only its own thread finds itself there */

bool wsfj_poll(void)
{
    bool free = false, found;

    if (!wsfj_settings.poll || !wsfj_runtime_is_up() || load_relaxed(&asking) || !cas_acq_rel(&asking, &free, true))
        return false;
    store_relaxed(&who, pthread_self());
    found = wsfj_settings.poll(wsfj_settings.poll_arg) != 0;
    store_relaxed(&who, (pthread_t)0);
    store_release(&asking, false); /* what the function did, for the next one who asks */
    return found;
}

bool wsfj_poll_inside(void)
{
    return load_relaxed(&asking) && pthread_equal(load_relaxed(&who), pthread_self());
}

void wsfj_poll_forget(void)
{
    store_relaxed(&asking, false);
}
