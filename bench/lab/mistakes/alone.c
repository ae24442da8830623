/* SPDX-License-Identifier: MIT */
/*
 * One worker only. Mistake: the program waits for each task before it submits the next, so there is never anything to
 * steal. Remedy: submit all, then wait.
 */
#include "mistake.h"

#define TASKS 200
#define WORKERS 2

static unsigned running, most_running;

static void task(void *arg)
{
    unsigned now = __atomic_add_fetch(&running, 1, __ATOMIC_ACQ_REL);

    (void)arg;
    if (now > __atomic_load_n(&most_running, __ATOMIC_RELAXED))
        __atomic_store_n(&most_running, now, __ATOMIC_RELAXED); /* a lost maximum comes again: there are many tasks */
    mistake_work(200000);
    (void)__atomic_sub_fetch(&running, 1, __ATOMIC_ACQ_REL);
}

static void submit_all(void *remedied)
{
    ws_group group = WS_GROUP_INIT;

    for (unsigned i = 0; i < TASKS; i++) {
        mistake_need(ws_group_submit(&group, task, NULL) == 0, "a task");
        if (!remedied)
            mistake_need(ws_group_wait(&group) == 0, "an end");
    }
    mistake_need(ws_group_wait(&group) == 0, "an end");
}

void mistake_run(bool remedied)
{
    ws_group group = WS_GROUP_INIT;
    uint64_t start;

    mistake_start(WORKERS);
    start = sample_now();
    mistake_need(ws_group_submit(&group, submit_all, remedied ? &group : NULL) == 0 && ws_group_wait(&group) == 0,
                 "an end");
    mistake_figure("ms", (double)(sample_now() - start) * 1e-6);
    mistake_figure("tasks_at_once", most_running);
}
