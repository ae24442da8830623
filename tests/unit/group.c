/* SPDX-License-Identifier: MIT */
/* Groups: lib/queue/group.c, step by step in one thread. The stacks never run. */
#include "queue/group.h"

#include "../support/run.h"
#include "task/stack.h"
#include "wait/table.h"

#include <pthread.h>
#include <string.h>

static ws_group group;
static struct wsfj_stack fibers[2];

static void add(int n)
{
    while (n-- > 0)
        wsfj_group_add(&group);
}

/* A fiber that waits; what the loop of its worker does. */
struct waiting {
    struct wsfj_node node;
    struct wsfj_waiter waiter;
};

static bool wait_as(struct waiting *w, struct wsfj_stack *s)
{
    w->node = wsfj_group_node(&group);
    w->waiter = (struct wsfj_waiter){.stack = s, .state = WSFJ_WAIT_ARMING, .nodes = &w->node};
    return wsfj_waiter_arm(&w->waiter);
}

/* Catches: a waiter that is resumed too early, twice, or not at all. */
START_TEST(the_last_task_resumes_the_waiter)
{
    struct waiting w;

    add(3);
    ck_assert_ptr_null(wsfj_group_finish(&group, 1));
    ck_assert(wait_as(&w, &fibers[0]));
    ck_assert_ptr_null(wsfj_group_finish(&group, 1));
    ck_assert(!wsfj_group_done(&group));
    ck_assert_ptr_eq(wsfj_group_finish(&group, 1), &fibers[0]);
    ck_assert_ptr_null(fibers[0].pool.next);
    ck_assert(wsfj_group_done(&group));
    ck_assert_uint_eq(group.wsfj_state, 0);
    ck_assert_uint_eq(wsfj_waiter_disarm(&w.waiter), WSFJ_WAIT_FIRST);
}
END_TEST

/* Catches: a waiter that is suspended although all tasks were done before its switch. */
START_TEST(a_waiter_that_comes_late_goes_on)
{
    struct waiting w;

    add(1);
    ck_assert_ptr_null(wsfj_group_finish(&group, 1));
    ck_assert(!wait_as(&w, &fibers[0]));
    add(1);
    ck_assert(wait_as(&w, &fibers[0]));
    ck_assert_ptr_eq(wsfj_group_finish(&group, 1), &fibers[0]);
}
END_TEST

/* Catches: two waiters, one of which is forgotten, or resumed out of turn. */
START_TEST(any_number_may_wait)
{
    struct waiting first, second;

    add(1);
    ck_assert(wait_as(&first, &fibers[0]));
    ck_assert(wait_as(&second, &fibers[1]));
    ck_assert_ptr_eq(wsfj_group_finish(&group, 1), &fibers[0]);
    ck_assert_ptr_eq(fibers[0].pool.next, &fibers[1]);
    ck_assert_ptr_null(fibers[1].pool.next);
}
END_TEST

/* Catches: tasks that are taken off together and count as one, or as the last ones. */
START_TEST(several_tasks_end_at_once)
{
    struct waiting w;

    add(6);
    ck_assert_ptr_null(wsfj_group_finish(&group, 2));
    ck_assert(wait_as(&w, &fibers[0]));
    ck_assert_ptr_null(wsfj_group_finish(&group, 1));
    ck_assert(!wsfj_group_done(&group));
    ck_assert_ptr_eq(wsfj_group_finish(&group, 3), &fibers[0]);
    ck_assert(wsfj_group_done(&group));
    add(2);
    ck_assert_ptr_null(wsfj_group_finish(&group, 2));
    ck_assert(wsfj_group_done(&group));
}
END_TEST

/* Catches: a cancelled group whose tasks begin all the same, or do so only where no group was ever cancelled; one whose tasks do
 * not begin though no code was given, or though the group keeps them. */
START_TEST(what_is_cancelled_is_dropped)
{
    ws_group_init(&group);
    for (unsigned i = 0; i < 8; i++) {
        wsfj_group_watched = i & 1;
        group.wsfj_scope.wsfj_code = i & 2 ? 5 : 0;
        group.wsfj_scope.wsfj_keeps = i & 4;
        ck_assert_msg(wsfj_group_drops(&group) == (i == 3), "case %u", i);
        ck_assert(!wsfj_group_drops(NULL));
    }
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

static void *wait_too(void *unused)
{
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert(wsfj_group_done(&group));
    return unused;
}

/* Catches: a foreign thread that sleeps for ever, or returns before the last task. */
START_TEST(foreign_threads_sleep_until_the_last_is_done)
{
    pthread_t threads[3], other;

    add(3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, finish_one, NULL), 0);
    ck_assert_int_eq(pthread_create(&other, NULL, wait_too, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    pthread_join(other, NULL);
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
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("group");

    tcase_add_test(tcase, the_last_task_resumes_the_waiter);
    tcase_add_test(tcase, a_waiter_that_comes_late_goes_on);
    tcase_add_test(tcase, any_number_may_wait);
    tcase_add_test(tcase, several_tasks_end_at_once);
    tcase_add_test(tcase, what_is_cancelled_is_dropped);
    tcase_add_test(tcase, a_task_may_have_no_group);
    tcase_add_test(tcase, an_initialised_group_is_empty_whatever_was_there);
    tcase_add_loop_test(tcase, foreign_threads_sleep_until_the_last_is_done, 0, 20);
    return run_case("group", tcase);
}
