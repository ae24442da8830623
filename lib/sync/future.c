/* SPDX-License-Identifier: MIT */
/* A future is an event, and what its setter has stored before. */
#include "base/atomic.h"
#include "sync/event.h"

#include <errno.h>

WSFJ_EXPORT int ws_future_set(ws_future *future, uint64_t value, int error)
{
    if (swap_acq_rel(&future->wsfj_is_taken, 1u))
        return EALREADY;
    future->wsfj_value = value;
    future->wsfj_error = error;
    ws_event_set(&future->wsfj_is_set);
    return 0;
}

WSFJ_EXPORT int ws_future_is_set(const ws_future *future)
{
    return ws_event_is_set(&future->wsfj_is_set);
}

WSFJ_EXPORT int ws_future_get(ws_future *future, uint64_t *value, uint64_t until)
{
    int error = wsfj_event_await(&future->wsfj_is_set, WSFJ_WAIT_FUTURE, &future->wsfj_is_set, until);

    if (error)
        return error;
    if (value)
        *value = future->wsfj_value;
    return future->wsfj_error;
}
