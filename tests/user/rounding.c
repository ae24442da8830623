/* SPDX-License-Identifier: MIT */
/*
 * A task computes with the rounding mode of its region, whatever its thread has run meanwhile, and wherever the task
 * resumes: each way to wait, with a task of another mode in between. A blocking section keeps errno as well. Neighbours:
 * roots.c, workers take the mode of a region; stress/shortage.c, tasks called on the stack of another one.
 */
#include "../support/flags.h"
#include "workers.h"

#include <errno.h>
#include <fenv.h>
#include <stdlib.h>

#define ODD_ERRNO 12345

enum { YIELD, GROUP, SECTION, PINNED_SECTION, JOIN, PREEMPTED, WAYS };

static long other_ran, wrong;
static int has_begun;

/* In tasks, which may not assert. */
static void check(bool right)
{
    add(&wrong, !right);
}

/* Runs between, and leaves its mode to its thread. */
static void rounds_down(void *unused)
{
    (void)unused;
    check(fegetround() == FE_TONEAREST);
    fesetround(FE_DOWNWARD);
    add(&other_ran, 1);
}

/* By a call each time: the task may be on another thread afterwards. */
static __attribute__((noinline)) void set_errno(int error)
{
    errno = error;
}

static __attribute__((noinline)) int get_errno(void)
{
    return errno;
}

/* Waits in the kernel until the other task has run on its slot: it then waits for a slot, too. */
static void wait_in_section(ws_group *group, long before)
{
    check(ws_group_submit(group, rounds_down, NULL) == 0);
    set_errno(ODD_ERRNO);
    ws_blocking_begin();
    check(get_errno() == ODD_ERRNO);
    while (get(&other_ran) == before)
        sched_yield();
    set_errno(ODD_ERRNO + 1);
    ws_blocking_end();
    check(get_errno() == ODD_ERRNO + 1);
}

/* A thief runs it, and its worker then resumes the parent, which waits at its sync. */
static WS_TASK_VOID(rounds_up_last, uint64_t, before)
{
    raise_flag(&has_begun);
    while (suspensions() == before)
        sched_yield();
    fesetround(FE_TOWARDZERO);
}

static void wait_at_sync(void)
{
    ws_frame();
    has_begun = 0;
    ws_spawn(rounds_up_last, suspensions());
    wait_for(&has_begun);
    ws_sync();
}

static WS_TASK_VOID(nothing)
{
}

/* Gives way at a sync, because a task waits longer than it should. */
static void be_preempted(ws_group *group, long before)
{
    ws_frame();
    check(ws_group_submit(group, rounds_down, NULL) == 0);
    while (get(&other_ran) == before) {
        ws_spawn(nothing);
        ws_sync();
    }
}

static void wait_in_way(int way)
{
    ws_group group = WS_GROUP_INIT;
    long before = get(&other_ran);

    switch (way) {
    case YIELD:
        check(ws_group_submit(&group, rounds_down, NULL) == 0);
        while (get(&other_ran) == before)
            ws_yield();
        break;
    case GROUP: check(ws_group_submit(&group, rounds_down, NULL) == 0 && ws_group_wait(&group) == 0); break;
    case SECTION: wait_in_section(&group, before); break;
    case PINNED_SECTION:
        check(ws_pin() == 0);
        wait_in_section(&group, before);
        ws_unpin();
        break;
    case JOIN: wait_at_sync(); break;
    case PREEMPTED: be_preempted(&group, before); break;
    }
}

static void waits(void *way)
{
    wait_in_way((int)(intptr_t)way);
    check(fegetround() == FE_TONEAREST);
}

static WS_TASK_VOID(root_waits, int, way)
{
    check(fegetround() == FE_UPWARD);
    wait_in_way(way);
    check(fegetround() == FE_UPWARD);
}

/* Catches: a task that goes on with the rounding mode of what its thread has run meanwhile; a caller that does; an errno
 * that an end of a section has changed. Odd _i: the root of a region, which rounds up; even: a detached task. */
START_TEST(a_task_rounds_as_before_its_wait)
{
    int way = _i / 2;

    start(way == JOIN ? 2 : 1);
    for (int i = 0; i < 10; i++) {
        ws_group group = WS_GROUP_INIT;

        if (_i % 2) {
            fesetround(FE_UPWARD);
            ck_assert_int_eq(ws_run(root_waits, way), 0);
            ck_assert_int_eq(fegetround(), FE_UPWARD);
            fesetround(FE_TONEAREST);
        } else {
            ck_assert_int_eq(ws_group_submit(&group, waits, (void *)(intptr_t)way), 0);
            ck_assert_int_eq(ws_group_wait(&group), 0);
        }
    }
    ck_assert(way == JOIN || get(&other_ran) == 10);
    stop_runtime();
    ck_assert_int_eq(get(&wrong), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("rounding");

    tcase_add_loop_test(tcase, a_task_rounds_as_before_its_wait, 0, 2 * WAYS);
    return run_case("rounding", tcase);
}
