/* SPDX-License-Identifier: MIT */
/*
 * Programs with a data race: of a task with its child, of two detached tasks, of a thread with a task that it has
 * submitted, of two detached tasks of which one begins later. The library orders nothing here, and a sanitizer must
 * report it. The second access comes after the first: a sanitizer that updates its own memory without a lock may miss
 * two accesses at the same moment. Neighbour: ordered.c.
 */
#include "elsewhere.h"

static long total;

static __attribute__((noinline)) void add(long n)
{
    total += n; /* the race */
}

static int spawned, added; /* the spawn itself may order the child's accesses before its own return */

static WS_TASK_VOID(child, long, n)
{
    await_flag(&spawned);
    add(n);
    raise_flag(&added);
}

static WS_TASK_VOID(parent, long, n)
{
    ws_spawn(child, n);
    raise_flag(&spawned);
    await_flag(&added);
    add(n);
    ws_sync();
}

static void with_child(void)
{
    must(ws_run(parent, 1) == 0, "ws_run");
}

static int first_runs, second_runs;

static void first(void *arg)
{
    (void)arg;
    raise_flag(&first_runs);
    await_flag(&second_runs); /* on a stack of its own */
    add(1);
    raise_flag(&added);
}

static void second(void *arg)
{
    (void)arg;
    await_flag(&first_runs);
    raise_flag(&second_runs);
    await_flag(&added);
    add(1);
}

static void in_group(void)
{
    ws_group group = WS_GROUP_INIT;

    must(ws_group_submit(&group, first, NULL) == 0, "ws_group_submit");
    must(ws_group_submit(&group, second, NULL) == 0, "ws_group_submit");
    must(ws_group_wait(&group) == 0, "ws_group_wait");
}

static void only(void *arg)
{
    (void)arg;
    await_flag(&spawned);
    add(1);
    raise_flag(&added);
}

/* The thread has waited for the task, but by means that order nothing. */
static void with_submitted(void)
{
    ws_group group = WS_GROUP_INIT;

    must(ws_group_submit(&group, only, NULL) == 0, "ws_group_submit");
    raise_flag(&spawned);
    await_flag(&added);
    add(1);
    must(ws_group_wait(&group) == 0, "ws_group_wait");
}

/* Keeps its worker: what runs there next would come after it. */
static void other(void *arg)
{
    (void)arg;
    await_flag(&second_runs);
}

static void earlier(void *arg)
{
    ws_group *others = arg;

    add(1);
    must(ws_group_submit(others, other, NULL) == 0, "ws_group_submit");
    raise_flag(&added);
    await_flag(&second_runs); /* the other task runs on the other worker */
}

static void later(void *arg)
{
    (void)arg;
    add(1);
    raise_flag(&second_runs);
}

/* The second task begins after the first one has submitted another task: this orders only that one. */
static void with_later(void)
{
    ws_group group = WS_GROUP_INIT, others = WS_GROUP_INIT;

    must(ws_group_submit(&group, earlier, &others) == 0, "ws_group_submit");
    await_flag(&added);
    must(ws_group_submit(&group, later, NULL) == 0, "ws_group_submit");
    must(ws_group_wait(&group) == 0 && ws_group_wait(&others) == 0, "ws_group_wait");
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";

    start_workers(strcmp(kind, "later") ? 2 : 3);
    if (!strcmp(kind, "child"))
        with_child();
    else if (!strcmp(kind, "group"))
        in_group();
    else if (!strcmp(kind, "submitted"))
        with_submitted();
    else if (!strcmp(kind, "later"))
        with_later();
    else
        must(0, "no such race");
    return ws_fini();
}
