/* SPDX-License-Identifier: MIT */
/* ws_group_cancel(): lib/queue/group.h, lib/sched/detached.c, lib/api/submit.c, lib/api/group_wait.c. Neighbours: deadlines.c,
 * wait_cancel.c; cxx/waits.cc, ws::group. */
#include "waits.h"

#include <string.h>

enum { MANY = 600 }; /* more than a run queue takes */

static ws_group group = WS_GROUP_INIT, other = WS_GROUP_INIT;
static long begun, ended, wrong, cancelling;

static void start_with(int i, size_t stacks)
{
    start_shape(i, stacks);
    ws_group_init(&group);
    ws_group_init(&other);
    begun = ended = wrong = 0;
}

static void stop(void)
{
    ck_assert_int_eq(get(&wrong), 0);
    stop_runtime();
}

static void begin(void *unused)
{
    (void)unused;
    add(&begun, 1);
}

static void submit(ws_group *to, ws_function *fn, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(i % 2 ? ws_group_try_submit(to, fn, NULL) : ws_group_submit(to, fn, NULL), 0);
}

WS_TASK_VOID(submit_and_cancel, bool, outside)
{
    if (outside)
        ws_blocking_begin(); /* what is submitted is the same task's, but the worker is lent */
    submit(&group, begin, MANY);
    submit(&other, begin, MANY);
    ck_assert_int_eq(ws_group_cancel(&group, 0), 0);
    ck_assert_int_eq(ws_group_cancel(&group, 5), 1);
    ck_assert_int_eq(ws_group_cancel(&group, 6), 0);
    submit(&group, begin, MANY);
    if (outside)
        ws_blocking_end();
    ck_assert_int_eq(ws_group_wait(&group), 5);
    ck_assert_int_eq(ws_group_wait(&other), 0);
    ck_assert_int_eq(ws_cancelled(), 0); /* it is no member */
}

/* Catches: a cancelled task that runs, in a row of tasks or apart; one of another group, or without, that does not; a code that
 * is lost, replaced, or left to the group's next life. */
START_TEST(what_has_not_begun_is_dropped)
{
    uint64_t dropped;

    start_with(_i / 2, 0);
    for (int round = 0; round < 5; round++) {
        ws_group_init(&group);
        begun = 0;
        dropped = read_stats().cancelled;
        ck_assert_int_eq(ws_run(submit_and_cancel, _i % 2 != 0), 0);
        dropped = read_stats().cancelled - dropped;
        ck_assert_uint_ge(dropped, MANY);
        ck_assert_uint_eq((uint64_t)begun + dropped, 3 * MANY);
        if (_i < 2) /* one worker, which runs the root meanwhile, unless it is lent */
            ck_assert(_i % 2 || dropped == 2 * MANY);
    }
    ck_assert_int_eq(ws_group_wait(&group), 5); /* stays so */
    ws_group_init(&group);
    ck_assert_int_eq(ws_group_submit(&group, begin, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop();
}
END_TEST

/* From a thread. Catches: a foreign thread's cancel that does nothing; the waits of threads that lose the code. */
START_TEST(a_thread_cancels)
{
    start_with(_i, 0);
    ck_assert_int_eq(ws_group_cancel(&group, 9), 1);
    submit(&group, begin, MANY);
    ck_assert_int_eq(ws_group_wait(&group), 9);
    ck_assert_int_eq(begun, 0);
    ck_assert_uint_eq(read_stats().cancelled, MANY);
    stop();
}
END_TEST

WS_TASK_VOID(child, int, depth)
{
    if (depth) {
        ws_spawn(child, depth - 1);
        ws_call(child, depth - 1);
        return;
    }
    add(&begun, 1);
    add(&wrong, ws_sleep_until(WS_FOREVER) != ECANCELED);
    add(&wrong, ws_cancelled() != 7);
    add(&ended, 1);
}

static void wait_in_children(void *unused)
{
    ws_scope scope;
    ws_frame();

    (void)unused;
    add(&wrong, ws_cancelled() != 0 && !get(&cancelling)); /* read in this order: some members begin late */
    ws_scope_begin(&scope);
    ws_spawn(child, 1);
    ws_call(child, 1);
    add(&wrong, ws_scope_end(&scope) != 7);
    ws_call(child, 0);
}

/* Catches: a child of a member, run by its parent or by a thief, inside a scope or not, that waits on. */
START_TEST(waits_of_members_end)
{
    start_with(_i, 0);
    for (int round = 0; round < 5; round++) {
        ws_group_init(&group);
        begun = ended = cancelling = 0;
        submit(&group, wait_in_children, 4);
        while (get(&begun) < 4) /* each waits somewhere; what begins later is dropped, or waits no more */
            sched_yield();
        ck_assert_int_eq(get(&ended), 0);
        add(&cancelling, 1);
        ck_assert_int_eq(ws_group_cancel(&group, 7), 1);
        ck_assert_int_eq(ws_group_wait(&group), 7);
        ck_assert_int_eq(get(&begun), get(&ended));
        ck_assert_int_eq(get(&wrong), 0);
    }
    stop();
}
END_TEST

WS_LOOP(count, long, i, long *, calls)
{
    take_time(i);
    add(calls, 1);
}

static void loops(void *unused)
{
    long calls = 0;

    (void)unused;
    add(&wrong, ws_group_cancel(&group, 4) != 1);
    ws_for(count, 0, 1000, &calls);
    add(&wrong, calls >= 1000);
    add(&ended, 1);
}

/* Catches: a loop in a cancelled task that runs to its end. */
START_TEST(loops_of_members_end)
{
    start_with(_i, 0);
    for (int round = 0; round < 5; round++) {
        ws_group_init(&group);
        submit(&group, loops, 1);
        ck_assert_int_eq(ws_group_wait(&group), 4);
    }
    ck_assert_int_eq(ended, 5);
    stop();
}
END_TEST

static ws_event gate;

/* Runs on the stack of `caller`, or on one of its own. */
static void called(void *unused)
{
    (void)unused;
    add(&wrong, ws_cancelled() != 0);
    add(&begun, 1);
    add(&wrong, ws_event_wait_until(&gate, ws_now() + 1) == ECANCELED);
    ws_yield();
    add(&wrong, ws_cancelled() != 0);
}

static void cancels_itself(void *unused)
{
    (void)unused;
    add(&wrong, ws_group_cancel(&group, 8) != 1);
    add(&wrong, ws_cancelled() != 8);
    add(&wrong, ws_sleep_until(WS_FOREVER) != ECANCELED);
    add(&ended, 1);
}

WS_TASK_VOID(caller)
{
    ws_scope scope;

    ws_scope_begin(&scope);
    ck_assert_int_eq(ws_scope_cancel(&scope, 3), 1);
    submit(&other, called, 3);
    submit(&group, cancels_itself, 1);
    submit(&other, called, 3);
    ck_assert_int_eq(ws_group_wait(&other), 0); /* not cancelled: no plain group wait is */
    ck_assert_int_eq(ws_group_wait(&group), 8);
    submit(&group, begin, 10);
    ck_assert_int_eq(ws_group_wait(&group), 8);
    ck_assert_int_eq(ws_cancelled(), 3);
    ck_assert_int_eq(ws_scope_end(&scope), 3);
}

/* With so few stacks that a waiter calls tasks on its own. Catches: a called task that is a member of its caller's scopes, or not
 * of its own group; a caller that gets the called task's group. */
START_TEST(called_tasks_are_members_of_their_group)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 1 + (size_t)_i / 3;
    config.max_stacks = 1 + (size_t)_i % 3;
    ck_assert_int_eq(ws_init(&config), 0);
    begun = ended = wrong = 0;
    for (int round = 0; round < 20; round++) {
        ws_group_init(&group);
        ws_group_init(&other);
        ck_assert_int_eq(ws_run(caller), 0);
    }
    ck_assert_int_eq(begun, 6 * 20);
    ck_assert_int_eq(ended, 20);
    stop();
}
END_TEST

static void ends_soon(void *arg)
{
    ws_group *own = arg;

    if (own)
        (void)ws_group_cancel(own, 2);
}

/* Catches: a cancel that touches its group after the waiter is back (the memory is written again); a task that does so. */
START_TEST(a_group_may_go_when_its_waiter_is_back)
{
    start_with(_i, 0);
    for (int round = 0; round < 200; round++) {
        ws_group *short_lived = malloc(sizeof *short_lived);
        int code;

        ck_assert_ptr_nonnull(short_lived);
        ws_group_init(short_lived);
        for (int i = 0; i < 6; i++)
            ck_assert_int_eq(ws_group_submit(short_lived, ends_soon, i == 2 ? short_lived : NULL), 0);
        code = ws_group_wait(short_lived);
        ck_assert_int_eq(code, 2);
        memset(short_lived, 0x55, sizeof *short_lived);
        free(short_lived);
    }
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("group_cancel");

    tcase_add_loop_test(tcase, what_has_not_begun_is_dropped, 0, 4);
    tcase_add_loop_test(tcase, a_thread_cancels, 0, SHAPES);
    tcase_add_loop_test(tcase, waits_of_members_end, 0, SHAPES);
    tcase_add_loop_test(tcase, loops_of_members_end, 0, SHAPES);
    tcase_add_loop_test(tcase, called_tasks_are_members_of_their_group, 0, 6);
    tcase_add_loop_test(tcase, a_group_may_go_when_its_waiter_is_back, 0, SHAPES);
    return run_case("group_cancel", tcase);
}
