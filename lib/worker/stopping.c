/* SPDX-License-Identifier: MIT */
#include "worker/stopping.h"

#include "base/atomic.h"

static bool stopping;

void wsfj_stopping_set(bool now)
{
    store_seq(&stopping, now);
}

bool wsfj_stopping(void)
{
    return load_seq(&stopping);
}
