/* SPDX-License-Identifier: MIT */
/* Phases: meanwhile the runtime is used, and its workers stay awake. */
#include "idle/phase.h"
#include "idle/wake.h"
#include "worker/use.h"

#include <errno.h>

WSFJ_EXPORT int ws_phase_begin(void)
{
    int error = wsfj_use_enter();

    if (error)
        return error;
    wsfj_phase_begin();
    wsfj_wake_rouse();
    return 0;
}

WSFJ_EXPORT int ws_phase_end(void)
{
    if (!wsfj_phase_end())
        return EINVAL;
    wsfj_use_leave();
    return 0;
}
