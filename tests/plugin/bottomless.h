/* SPDX-License-Identifier: MIT */
/* A task that overflows its stack. */
#ifndef TESTS_PLUGIN_BOTTOMLESS_H
#define TESTS_PLUGIN_BOTTOMLESS_H

#include <wsfj.h>

/* Not a tail call; its frame is touched. */
static WS_TASK(long, bottomless, long, n)
{
    volatile char room[256];

    if (n < 0)
        return 0;
    room[0] = (char)n;
    return ws_call(bottomless, n + 1) + room[0];
}

/* Does not return. */
static inline int run_bottomless(void)
{
    long result;

    return ws_run(bottomless, &result, 0L);
}

#endif
