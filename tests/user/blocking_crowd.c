/* SPDX-License-Identifier: MIT */
/*
 * Blocking sections of more tasks than a thief visits in a round, and of tasks for which there are no stacks. A faulty
 * library makes the program hang or die. Neighbours: blocking_sections.c, blocking_limits.c.
 */
#include "blocking_sections.h"

/* A thief reads 8 suspended deques in a round, and 8 more after a request. This is one deque more than two rounds
 * read. */
#define CROWD 17

static const size_t few[] = {1, 2, 4};
#define FEW ((int)(sizeof few / sizeof *few))

static long blocked;

static WS_TASK_VOID(opener)
{
    sem_post(&gates[1]);
}

static void hold(void *arg)
{
    (void)arg;
    ws_frame();
    ws_spawn(child);
    WS_BLOCKING
    {
        add(&blocked, 1);
        read_gate(0);
    }
    ws_sync();
}

static WS_TASK_VOID(reader)
{
    read_gate(1);
}

/* Its sync takes the last child back, which makes the child before it private; then the task reads, and answers no
 * thief. */
static void spawn_and_read(void *arg)
{
    (void)arg;
    ws_frame();
    while (get(&blocked) < CROWD - 1 || get(&children) < CROWD - 1)
        ws_yield();
    for (int round = 0; round < 20; round++) {
        WS_BLOCKING
        {
            ws_spawn(child);
            ws_spawn(child);
            ws_spawn(opener);
            ws_spawn(reader);
            ws_sync();
        }
    }
    for (int i = 0; i < CROWD - 1; i++)
        sem_post(&gates[0]);
}

/* Catches: a thief that makes a request to one owner and, after that owner has not answered, forces only others. */
START_TEST(a_private_task_among_many_suspended_deques_is_found)
{
    reset();
    blocked = 0;
    start_runtime(few[_i], 0, WS_SPIN_DEFAULT);
    for (int i = 0; i < CROWD - 1; i++)
        submit(hold, i);
    submit(spawn_and_read, 0);
    await_all();
    ck_assert_int_eq(get(&children), CROWD - 1 + 2 * 20);
}
END_TEST

static WS_TASK_VOID(slow_child)
{
    add(&children, 1);
    for (int i = 0; i < 3; i++)
        ws_yield();
}

static void fork_and_join(void *arg)
{
    (void)arg;
    ws_frame();
    ws_spawn(slow_child);
    ws_spawn(slow_child);
    nanosleep(&(struct timespec){0, 200000}, NULL);
    if (ws_worker_id() < 0)
        add(&errors, 1); /* the open section belongs to the waiter */
    ws_sync();
}

static void leave_a_blocking_section_open(void *arg)
{
    (void)arg;
    ws_blocking_begin();
}

static void wait_in_a_blocking_section(void *arg)
{
    ws_group own = WS_GROUP_INIT;

    (void)arg;
    WS_BLOCKING
    {
        for (int round = 0; round < 10; round++) {
            if (ws_group_submit(&own, fork_and_join, NULL) != 0 ||
                ws_group_submit(&own, leave_a_blocking_section_open, NULL) != 0 ||
                ws_group_submit(&own, fork_and_join, NULL) != 0 || ws_group_wait(&own) != 0)
                add(&errors, 1);
        }
    }
    if (ws_worker_id() < 0)
        add(&errors, 1);
}

/* Catches: a waiter that calls a task on its own stack inside its blocking section: a join of that task lends the slot
 * again, and the waiter then returns to the loop of another thread. */
START_TEST(a_waiter_without_stacks_calls_tasks_outside_its_blocking_section)
{
    static const size_t stacks[] = {3, 4, 5};
    ws_config config;

    reset();
    ws_config_default(&config);
    config.num_workers = few[_i / 3];
    config.max_stacks = stacks[_i % 3];
    ck_assert_int_eq(ws_init(&config), 0);
    for (long i = 0; i < 4; i++)
        submit(wait_in_a_blocking_section, i);
    await_all();
    ck_assert_int_eq(get(&children), 4 * 10 * 4);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("bracket_crowd");

    tcase_add_loop_test(tcase, a_private_task_among_many_suspended_deques_is_found, 0, FEW);
    tcase_add_loop_test(tcase, a_waiter_without_stacks_calls_tasks_outside_its_blocking_section, 0, 3 * FEW);
    return run_case("bracket_crowd", tcase);
}
