/* SPDX-License-Identifier: MIT */
/* ws_yield(): which task it lets run. Neighbour: stress/submit.c, what must not starve behind yielding fibers. */
#include "../support/runtime.h"

#include <sched.h>
#include <stdatomic.h>

#define TIMES 1000

static atomic_long yields; /* of the processor, by tasks */

/* Replaces the C library's function. */
int sched_yield(void)
{
    if (ws_worker_id() >= 0)
        atomic_fetch_add(&yields, 1);
    return 0;
}

static void yield_often(void *arg)
{
    (void)arg;
    for (int i = 0; i < TIMES; i++)
        ws_yield();
}

static WS_TASK_VOID(yield_in_region)
{
    yield_often(NULL);
}

/* Catches: a fiber that gets itself back at each yield, so that a thread it waits for gets no processor. Once on the
 * thread of its caller, once on the worker's own. */
START_TEST(a_task_alone_yields_the_processor)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    if (_i == 0) {
        ck_assert_int_eq(ws_run(yield_in_region), 0);
    } else {
        ck_assert_int_eq(ws_group_submit(&group, yield_often, NULL), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    }
    ck_assert_int_ge(yields, TIMES);
    ck_assert_int_lt(yields, 2 * TIMES); /* a build with chaos adds some */
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK_VOID(two_that_yield)
{
    ws_group group = WS_GROUP_INIT;

    (void)ws_group_submit(&group, yield_often, NULL);
    (void)ws_group_submit(&group, yield_often, NULL);
    (void)ws_group_wait(&group);
}

/* Catches: a system call at each yield to another task. The task that ends last is alone for a moment. */
START_TEST(a_task_that_lets_another_one_run_keeps_the_processor)
{
    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_run(two_that_yield), 0);
    ck_assert_int_lt(yields, TIMES / 2);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("yields");

    tcase_add_loop_test(tcase, a_task_alone_yields_the_processor, 0, 2);
    tcase_add_test(tcase, a_task_that_lets_another_one_run_keeps_the_processor);
    return run_case("yields", tcase);
}
