/* SPDX-License-Identifier: MIT */
/*
 * A tight loop that never yields: with one worker nothing else runs until it ends. Remedy: ws_yield() in the loop,
 * often enough for waiting tasks.
 */
#include "mistake.h"

#define TURNS 50
#define TURN_NS 1000000

static bool yields;

static void loop(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < TURNS; i++) {
        mistake_spin(TURN_NS);
        if (yields)
            ws_yield();
    }
}

void mistake_run(bool remedied)
{
    ws_group group = WS_GROUP_INIT;

    yields = remedied;
    mistake_start(1);
    mistake_need(ws_group_submit(&group, loop, NULL) == 0, "a task");
    mistake_probe("others", 20, 1000000);
    mistake_need(ws_group_wait(&group) == 0, "an end");
}
