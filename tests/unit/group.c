/* SPDX-License-Identifier: MIT */
/* Groups: lib/queue/group.c, step by step in one thread. The stacks never run. */
#include "queue/group.h"

#include "../support/run.h"
#include "task/stack.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static ws_group group;
static struct wsfj_stack waiter;

static void add(int n)
{
    while (n-- > 0)
        wsfj_group_add(&group);
}

/* What a worker does for a fiber that waits. */
static struct wsfj_stack *wait_as(struct wsfj_stack *s)
{
    ck_assert(wsfj_group_claim(&group, s));
    s->wait.group = &group;
    return wsfj_group_left(s);
}

/* Catches: a waiter that is resumed too early, twice, or not at all. */
START_TEST(the_last_task_resumes_the_waiter)
{
    add(3);
    ck_assert_ptr_null(wsfj_group_finish(&group, 1));
    ck_assert_ptr_null(wait_as(&waiter));
    ck_assert_ptr_null(wsfj_group_finish(&group, 1));
    ck_assert(!wsfj_group_done(&group));
    ck_assert_ptr_eq(wsfj_group_finish(&group, 1), &waiter);
    ck_assert(wsfj_group_done(&group));
}
END_TEST

/* Catches: a waiter that is suspended although all tasks were done before its switch. */
START_TEST(a_waiter_that_comes_late_goes_on)
{
    add(1);
    ck_assert_ptr_null(wsfj_group_finish(&group, 1));
    ck_assert_ptr_eq(wait_as(&waiter), &waiter);
    add(1);
    ck_assert_ptr_null(wait_as(&waiter));
    ck_assert_ptr_eq(wsfj_group_finish(&group, 1), &waiter);
}
END_TEST

/* Catches: two waiters, one of which is forgotten. */
START_TEST(one_waits_at_a_time)
{
    struct wsfj_stack second;

    add(1);
    ck_assert_ptr_null(wait_as(&waiter));
    ck_assert(!wsfj_group_claim(&group, &second));
    ck_assert_int_eq(ws_group_wait(&group), EBUSY);
    ck_assert_ptr_eq(wsfj_group_finish(&group, 1), &waiter);
    ck_assert(wsfj_group_claim(&group, &second));
}
END_TEST

/* Catches: tasks that are taken off together and count as one, or as the last ones. */
START_TEST(several_tasks_end_at_once)
{
    add(6);
    ck_assert_ptr_null(wsfj_group_finish(&group, 2));
    ck_assert_ptr_null(wait_as(&waiter));
    ck_assert_ptr_null(wsfj_group_finish(&group, 1));
    ck_assert(!wsfj_group_done(&group));
    ck_assert_ptr_eq(wsfj_group_finish(&group, 3), &waiter);
    ck_assert(wsfj_group_done(&group));
    add(2);
    ck_assert_ptr_null(wsfj_group_finish(&group, 2));
    ck_assert(wsfj_group_done(&group));
}
END_TEST

/* Catches: tasks without a group that crash. */
START_TEST(a_task_may_have_no_group)
{
    ck_assert_ptr_null(wsfj_group_finish(NULL, 1));
}
END_TEST

static void *finish_one(void *unused)
{
    ck_assert_ptr_null(wsfj_group_finish(&group, 1));
    return unused;
}

/* Catches: a foreign thread that sleeps for ever, or returns before the last task. */
START_TEST(a_foreign_thread_sleeps_until_the_last_is_done)
{
    pthread_t threads[3];

    add(3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, finish_one, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert(wsfj_group_done(&group));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
}
END_TEST

/* Catches: a field that ws_group_init() leaves unchanged. */
START_TEST(an_initialised_group_is_empty_whatever_was_there)
{
    ws_group fresh;

    memset(&fresh, 0xff, sizeof fresh);
    ws_group_init(&fresh);
    ck_assert(wsfj_group_done(&fresh));
    ck_assert(wsfj_group_claim(&fresh, &waiter));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("group");

    tcase_add_test(tcase, the_last_task_resumes_the_waiter);
    tcase_add_test(tcase, a_waiter_that_comes_late_goes_on);
    tcase_add_test(tcase, one_waits_at_a_time);
    tcase_add_test(tcase, several_tasks_end_at_once);
    tcase_add_test(tcase, a_task_may_have_no_group);
    tcase_add_test(tcase, an_initialised_group_is_empty_whatever_was_there);
    tcase_add_loop_test(tcase, a_foreign_thread_sleeps_until_the_last_is_done, 0, 20);
    return run_case("group", tcase);
}
