/* SPDX-License-Identifier: MIT */
/* For policy.sh: programs in which a policy decides much. Each prints what it has to say, then how often each event
 * came, as "event number sum of tasks". */
#include <wsfj/sim.h>

#include "event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME(name, recorded, counted, drawn, text) #name,
static const char *const names[] = {WSFJ_EVENTS(NAME)};
static uint64_t count[WSFJ_EVENT_COUNT], tasks[WSFJ_EVENT_COUNT];

static void listen(const struct sim_note *note)
{
    count[note->event]++;
    tasks[note->event] += note->event == WSFJ_EVENT_global_queue_take ? note->a : note->b;
}

static void numbered(void *number)
{
    printf("%d ", *(const int *)number);
    sim_work(10000);
}

/* Submits eight tasks and waits for them. */
WS_TASK(int, submits, int, n)
{
    static int numbers[256];
    ws_group group;

    ws_group_init(&group);
    for (int i = 0; i < n; i++) {
        numbers[i] = i;
        if (ws_group_submit(&group, numbered, &numbers[i]) != 0)
            return 1;
    }
    sim_work(1000000); /* thieves may come; the owner has no time */
    return ws_group_wait(&group);
}

static bool leaves_yield;

/* A binary tree; work in its leaves. */
WS_TASK(int, tree, int, depth, uint64_t, ns)
{
    int x, y;

    if (depth == 0) {
        sim_work(ns);
        if (leaves_yield)
            ws_yield();
        return 1;
    }
    ws_spawn(tree, &x, depth - 1, ns);
    y = ws_call(tree, depth - 1, ns);
    ws_sync();
    return x + y;
}

/* Small trees between which the worker computes alone: others search, find little, and sleep. */
WS_TASK(int, sparse, int, n)
{
    int sum = 0;

    while (n--) {
        sim_work(30000);
        sum += ws_call(tree, 3, 20000);
    }
    return sum;
}

/* Its tasks stay private for long: one long list of leaves. */
WS_TASK(int, list, int, n)
{
    int x;

    if (n == 0)
        return 0;
    ws_spawn(tree, &x, 0, 2500);
    n = ws_call(list, n - 1);
    ws_sync();
    return n + x;
}

/* A parent waits for its child, the child for a detached task, and that for a flag, which the parent would set. */
static volatile bool flag;

static void waits_for_flag(void *unused)
{
    (void)unused;
    while (!flag)
        ws_yield();
}

WS_TASK(int, waits_for_task, int, unused)
{
    ws_group group;

    (void)unused;
    ws_group_init(&group);
    return ws_group_submit(&group, waits_for_flag, NULL) || ws_group_wait(&group);
}

WS_TASK(int, never_sets_it, int, depth)
{
    int x;

    (void)ws_call(tree, depth, 20000);
    ws_spawn(waits_for_task, &x, 0);
    sim_work(100000);
    ws_sync();
    flag = true;
    return x;
}

/* With 2 workers: the second one takes the child, the first one the child's child, which blocks. */
WS_TASK(int, child, int, depth)
{
    int x;

    if (depth == 0) {
        ws_blocking_begin();
        sim_sleep(500000);
        ws_blocking_end();
        return 1;
    }
    ws_spawn(child, &x, depth - 1);
    sim_work(depth == 2 ? 100000 : 1000000);
    ws_sync();
    return x;
}

enum { AWAITED = 4 };
static ws_group work, waiters;
static int ended, went_on;

static void yields_once(void *unused)
{
    (void)unused;
    sim_work(10000);
    ws_yield();
    ended++;
}

static void waits_for_work(void *unused)
{
    (void)unused;
    if (ws_group_wait(&work) == 0 && ended == AWAITED)
        went_on++;
    ws_yield();
}

/* Many tasks wait for one group, with few stacks. */
WS_TASK(int, waits, int, n)
{
    int error = 0;

    for (int i = 0; i < AWAITED; i++)
        error |= ws_group_submit(&work, yields_once, NULL);
    for (int i = 0; i < n; i++)
        error |= ws_group_submit(&waiters, waits_for_work, NULL);
    return error | ws_group_wait(&waiters) ? -1 : went_on;
}

int sim_main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int result = 0, error, n = argc > 2 ? atoi(argv[2]) : 8;
    uint64_t start;

    ws_config config;

    ws_config_default(&config);
    if (strcmp(what, "waits") == 0)
        config.max_stacks = 4;
    error = ws_init(&config);
    sim_listener = listen;
    leaves_yield = strcmp(what, "yields") == 0;
    if (strcmp(what, "late") == 0)
        sim_work(10000000); /* all workers sleep by then */
    start = sim_time();
    if (strcmp(what, "submits") == 0)
        error = ws_run(submits, &result, n);
    else if (strcmp(what, "waits") == 0)
        error = ws_run(waits, &result, n);
    else if (strcmp(what, "tree") == 0 || strcmp(what, "late") == 0 || leaves_yield)
        error = ws_run(tree, &result, n, 20000);
    else if (strcmp(what, "sparse") == 0)
        error = ws_run(sparse, &result, n);
    else if (strcmp(what, "list") == 0)
        error = ws_run(list, &result, n);
    else if (strcmp(what, "blocks") == 0)
        error = ws_run(child, &result, n);
    else if (strcmp(what, "stuck") == 0)
        error = ws_run(never_sets_it, &result, n);
    else
        return 2;
    start = sim_time() - start;
    sim_listener = NULL;
    printf("\nresult %d\ntime %" PRIu64 "\n", result, start);
    for (unsigned i = 0; i < WSFJ_EVENT_COUNT; i++)
        printf("%s %" PRIu64 " %" PRIu64 "\n", names[i], count[i], tasks[i]);
    return error;
}
