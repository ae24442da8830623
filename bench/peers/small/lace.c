/* SPDX-License-Identifier: MIT */
/*
 * Lace 1: SPAWN and SYNC, the only way to a task; the parent syncs all of them. No starts: an owner that does nothing after a
 * SPAWN may keep the task to itself.
 */
#include "small.h"

#include <lace.h>
#include <stddef.h>

/* A task takes 64 bytes of a deque. */
#define DEQUE (1 << 18)

static int begin(int workers, int beside)
{
    (void)beside;
    lace_start((unsigned)workers, DEQUE);
    return 0;
}

VOID_TASK_2(call, small_task *, f, void *, argument)
{
    f(argument);
}

VOID_TASK_3(produce, long, n, small_task *, f, char *, first)
{
    for (long i = 0; i < n; i++)
        SPAWN(call, f, first + i);
    for (long i = 0; i < n; i++)
        SYNC(call);
}

static void tasks(long n, small_task *f, char *first)
{
    RUN(produce, n, f, first);
}

VOID_TASK_4(iterate, long, low, long, high, long, grain, unsigned char *, runs)
{
    if (high - low <= grain) {
        for (long i = low; i < high; i++)
            small_iteration(runs, i);
        return;
    }
    SPAWN(iterate, low + (high - low) / 2, high, grain, runs);
    CALL(iterate, low, low + (high - low) / 2, grain, runs);
    SYNC(iterate);
}

/* Two pieces for each worker. */
static void loop(long n, unsigned char *runs)
{
    long grain = n / (2 * (long)lace_workers()) + 1;

    if (lace_is_worker()) {
        LACE_VARS

        CALL(iterate, 0, n, grain, runs);
    } else {
        RUN(iterate, 0, n, grain, runs);
    }
}

static int at(enum small_place place, void (*f)(void *), void *argument)
{
    if (place == SMALL_PHASE)
        return -1;
    if (place == SMALL_INSIDE)
        RUN(call, f, argument);
    else
        f(argument);
    return 0;
}

const struct small_contender contender = {begin, tasks, NULL, NULL, loop, at};
