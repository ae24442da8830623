/* SPDX-License-Identifier: MIT */
/*
 * Spinning instead of waiting. Mistake: a task polls a counter until its children are done, and its worker does nothing
 * else. Remedy: ws_group_wait(), which suspends the task.
 */
#include "mistake.h"

#include <time.h>

#define TASKS 200

static unsigned done;
static bool waits;

static void child(void *arg)
{
    (void)arg;
    mistake_work(200000);
    (void)__atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
}

static void parent(void *arg)
{
    ws_group group = WS_GROUP_INIT;

    (void)arg;
    for (unsigned i = 0; i < TASKS; i++)
        mistake_need(ws_group_submit(&group, child, NULL) == 0, "a child");
    while (!waits && __atomic_load_n(&done, __ATOMIC_ACQUIRE) < TASKS)
        ;
    mistake_need(ws_group_wait(&group) == 0, "an end");
}

void mistake_run(bool remedied)
{
    ws_group group = WS_GROUP_INIT;
    clock_t cpu;
    uint64_t start;

    waits = remedied;
    mistake_start(2);
    start = sample_now();
    cpu = clock();
    mistake_need(ws_group_submit(&group, parent, NULL) == 0 && ws_group_wait(&group) == 0, "an end");
    mistake_figure("ms", (double)(sample_now() - start) * 1e-6);
    mistake_figure("cpu_ms", (double)(clock() - cpu) * 1e3 / CLOCKS_PER_SEC);
}
