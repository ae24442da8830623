/* SPDX-License-Identifier: MIT */
/* A task that waits for its own group, whose end it would wait for: EDEADLK. With few stacks, when a waiter calls other tasks
 * on its own stack, and with enough. lib/api/group_wait.c. Neighbours: unit/group.c; profile_rare.c, the same in a profile. */
#include "../support/flags.h"
#include "../support/runtime.h"

#include <errno.h>

static ws_group a = WS_GROUP_INIT, b = WS_GROUP_INIT;
static long refused, wrong;

static void start_with(size_t workers, size_t stacks)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.max_stacks = stacks;
    ck_assert_int_eq(ws_init(&config), 0);
    refused = wrong = 0;
}

/* Each number of workers with each limit of stacks. */
#define SHAPES 6
static void start_shape(int i)
{
    static const size_t stacks[] = {1, 2, 0};

    start_with(1 + (size_t)i / 3, stacks[i % 3]);
}

static void is_refused(ws_group *group)
{
    add(&wrong, ws_group_wait(group) != EDEADLK);
    add(&refused, 1);
}

static WS_TASK_VOID(child, ws_group *, group)
{
    is_refused(group);
}

static void waits_for_own(void *group)
{
    ws_frame();

    is_refused(group);
    ws_call(child, group);
    add(&wrong, ws_run(child, group) != 0);
    ws_yield();
    is_refused(group);
    WS_BLOCKING
    {
        is_refused(group);
        ws_yield();
        is_refused(group);
    }
}

/* Catches: a task that waits for itself for ever; a wait that is refused and changes the group. */
START_TEST(the_own_group_is_refused)
{
    start_shape(_i);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(ws_group_submit(i % 3 ? &a : &b, waits_for_own, i % 3 ? &a : &b), 0);
    ck_assert_int_eq(ws_group_wait(&a), 0);
    ck_assert_int_eq(ws_group_wait(&b), 0);
    ck_assert_int_eq(get(&wrong), 0);
    ck_assert_int_eq(get(&refused), 20 * 6);
    stop_runtime();
}
END_TEST

/* In b. With few stacks this calls the tasks of a on its own stack. */
static void waits_for_other(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        add(&wrong, ws_group_submit(&a, waits_for_own, &a) != 0);
    add(&wrong, ws_group_wait(&a) != 0);
    is_refused(&b);
}

static void in_no_group(void *group)
{
    add(&wrong, ws_group_submit(group, waits_for_own, group) != 0);
    add(&wrong, ws_group_wait(group) != 0);
}

static WS_TASK_VOID(root)
{
    ws_group done = WS_GROUP_INIT;

    in_no_group(&a); /* on a stack that has had a task of this group, or while it calls one */
    add(&wrong, ws_group_submit(&b, waits_for_other, NULL) != 0);
    add(&wrong, ws_group_wait(&b) != 0);
    in_no_group(&b);
    add(&wrong, ws_group_submit(&done, in_no_group, &a) != 0);
    add(&wrong, ws_group_wait(&done) != 0);
}

/* Catches: a waiter that takes the group of the task that it has called for its own afterwards, or its own for that one's; a
 * task that takes the group of an earlier one on its stack, or in its row, for its own. */
START_TEST(another_group_is_not)
{
    ws_group third = WS_GROUP_INIT;

    start_shape(_i);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(ws_group_submit(&a, waits_for_own, &a), 0);
        ck_assert_int_eq(ws_group_submit(&third, in_no_group, &b), 0);
        ck_assert_int_eq(ws_group_wait(&a), 0);
        ck_assert_int_eq(ws_group_wait(&third), 0);
        ck_assert_int_eq(ws_run(root), 0);
    }
    stop_runtime();
    ck_assert_int_eq(get(&wrong), 0);
    ck_assert_int_eq(get(&refused), 3 * (8 * 6 + 1));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("own_group");

    tcase_add_loop_test(tcase, the_own_group_is_refused, 0, SHAPES);
    tcase_add_loop_test(tcase, another_group_is_not, 0, SHAPES);
    return run_case("own_group", tcase);
}
