/* SPDX-License-Identifier: MIT */
/* The other half of files.c. */
#include "files.h"

#include "steals.h"

long ticks;

WS_TASK(long, odd, long, n)
{
    long r = 0;

    if (n == 0)
        return 0;
    ws_spawn(even, &r, n - 1);
    ws_spawn(tick);
    ws_sync();
    return r;
}

WS_TASK(struct wide, widen, long, n)
{
    struct wide w;

    for (int i = 0; i < 16; i++)
        w.v[i] = n * i;
    return w;
}

void others_begin(unsigned region)
{
    steals_begin(region % STEALS_MODES);
}

void others_wait(void)
{
    steals_wait(1);
}

WS_TASK_VOID(add_to, long *, sum, long, n)
{
    steals_in();
    (void)__atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
    steals_out();
}

WS_TASK_VOID(tick)
{
    (void)__atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
}

static WS_TASK(long, same_name, int, n)
{
    return 1000 + n;
}

long same_name_there(void)
{
    long r = 0;

    ws_frame();
    ws_spawn(same_name, &r, 1);
    ws_spawn(tick); /* of another kind: so the first child is run through its descriptor, as by a thief */
    ws_sync();
    return r;
}
