/* SPDX-License-Identifier: MIT */
#include "worker/use.h"

#include "base/atomic.h"

enum wsfj_use_state wsfj_use_now;
size_t wsfj_users;
unsigned wsfj_use_generation;
size_t wsfj_callers = 1;

bool wsfj_use_is_up(void)
{
    return load_seq(&wsfj_use_now) != WSFJ_DOWN;
}

bool wsfj_use_any(void)
{
    return load_seq(&wsfj_users) > 0;
}

enum wsfj_use_state wsfj_use_state(void)
{
    return load_relaxed(&wsfj_use_now);
}

void wsfj_use_become(enum wsfj_use_state next)
{
    store_seq(&wsfj_use_now, next);
}

void wsfj_use_forget(void)
{
    wsfj_use_generation++;
    store_seq(&wsfj_use_now, WSFJ_DOWN);
    store_seq(&wsfj_users, 0);
}
