/* SPDX-License-Identifier: MIT */
/*
 * A program that ends, or asks for leaks, in the middle of its tasks: each block of memory is held by one pointer, in
 * main, in a task that waits, in one that runs, or in the arguments of a child and of a detached task that wait for a
 * worker. LeakSanitizer must find each of these pointers. With `lost` it must report the one block that a task has lost.
 * Needs two workers.
 */
#include "elsewhere.h"

#include <sanitizer/lsan_interface.h>

enum how { TO_THE_END, BY_EXIT, LOST };

static enum how how;
static int parent_runs, grandchild_runs, other_runs, let_go;

static __attribute__((noinline)) void *block(void)
{
    return malloc(100);
}

static WS_TASK_VOID(child, void *, block)
{
    free(block);
}

static void detached(void *block)
{
    free(block);
}

static __attribute__((noinline)) void lose(void)
{
    void *volatile lost = block(); /* the leak */

    lost = NULL;
    (void)lost;
}

static __attribute__((noinline)) void look(void)
{
    must(__lsan_do_recoverable_leak_check() == 0, "nothing is lost yet");
    if (how == LOST)
        lose();
    if (how != TO_THE_END)
        exit(0);
}

/* Occupies the other worker, which the suspended tasks have left. */
static void other(void *unused)
{
    (void)unused;
    raise_flag(&other_runs);
    await_flag(&let_go);
}

static WS_TASK_VOID(grandchild, int, unused)
{
    ws_group group = WS_GROUP_INIT;
    void *volatile mine = block();

    (void)unused;
    raise_flag(&grandchild_runs);
    must(ws_group_submit(&group, other, NULL) == 0, "ws_group_submit");
    await_flag(&other_runs);
    must(ws_group_submit(&group, detached, block()) == 0, "ws_group_submit");
    ws_spawn(child, block());
    look();
    raise_flag(&let_go);
    ws_sync();
    must(ws_group_wait(&group) == 0, "ws_group_wait");
    free(mine);
}

static WS_TASK_VOID(parent, int, unused)
{
    void *volatile mine = block();

    (void)unused;
    raise_flag(&parent_runs);
    ws_spawn(grandchild, 0);
    await_flag(&grandchild_runs);
    ws_sync();
    free(mine);
}

static WS_TASK_VOID(root, int, unused)
{
    void *volatile mine = block();

    (void)unused;
    ws_spawn(parent, 0);
    await_flag(&parent_runs);
    ws_sync();
    free(mine);
}

int main(int argc, char **argv)
{
    void *volatile mine = block();

    if (argc > 1)
        how = !strcmp(argv[1], "lost") ? LOST : BY_EXIT;
    start_workers(2);
    must(ws_run(root, 0) == 0, "ws_run");
    free(mine);
    return ws_fini();
}
