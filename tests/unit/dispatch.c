/* SPDX-License-Identifier: MIT */
/* What a worker makes known when it takes something out of the queues: lib/sched/dispatch.c. The linker puts the function
 * below between dispatch.c and the wake-up of other workers. Neighbours: explore/transit; unit/run_queue.c and
 * global_queue.c, the queues alone. */

#include "../support/flags.h"
#include "../support/runtime.h"

#include "queue/root.h"

#include <pthread.h>

struct wsfj_worker;

/* The linker's names: __real_ is the library's function, __wrap_ is called in its place. */
void __real_wsfj_queued(const struct wsfj_worker *worker);
void __wrap_wsfj_queued(const struct wsfj_worker *worker);

static long all, by_a_worker;

void __wrap_wsfj_queued(const struct wsfj_worker *worker)
{
    add(&all, 1);
    add(&by_a_worker, worker != NULL);
    __real_wsfj_queued(worker);
}

static int has_begun, may_end;

static void nothing(void *unused)
{
    (void)unused;
}

static WS_TASK_VOID(child)
{
}

static long before, after; /* what workers made known */
static long yielded;       /* how often the fiber itself was made known as it yielded */

static long by_none(void)
{
    return get(&all) - get(&by_a_worker);
}

/* No other fiber and no other task is there: it comes back at once. */
static void yields_with(bool children)
{
    ws_frame();
    if (children)
        ws_spawn(child);
    before = get(&by_a_worker);
    yielded = by_none();
    ws_yield();
    yielded = by_none() - yielded;
    after = get(&by_a_worker);
    ws_sync();
}

static void yields_with_a_child(void *unused)
{
    (void)unused;
    yields_with(true);
}

static void yields_alone(void *unused)
{
    (void)unused;
    yields_with(false);
}

/* Catches: a fiber that yields, or comes back with children, and could go on elsewhere while no other worker is told. */
START_TEST(a_fiber_that_comes_back_makes_its_children_known)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_group_submit(&group, yields_alone, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(after, before);
    if (get(&all))
        ck_assert_int_eq(yielded, 1);
    ck_assert_int_eq(ws_group_submit(&group, yields_with_a_child, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    if (get(&all))
        ck_assert_int_gt(after, before);
    stop_runtime();
}
END_TEST

static void keeps_the_worker(void *unused)
{
    (void)unused;
    raise_flag(&has_begun);
    wait_for(&may_end);
}

/* The number of tasks that wait behind the busy one. */
enum { TASKS = 5 };

/* Catches: tasks that come along into a run queue, or stay in the global queue, while no other worker is told. */
START_TEST(what_remains_is_made_known)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_group_submit(&group, keeps_the_worker, NULL), 0);
    wait_for(&has_begun);
    for (int i = 0; i < TASKS; i++)
        ck_assert_int_eq(ws_group_submit(&group, nothing, NULL), 0);
    before = get(&by_a_worker);
    raise_flag(&may_end);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    if (get(&all))
        ck_assert_int_eq(get(&by_a_worker), before + 1); /* then they are in the run queue, and known */
    stop_runtime();
}
END_TEST

static WS_TASK_VOID(spawns_until_it_may_end)
{
    raise_flag(&has_begun);
    while (!is_raised(&may_end)) {
        ws_spawn(child);
        ws_sync();
    }
}

static void spawns_on(void *unused)
{
    (void)unused;
    spawns_until_it_may_end();
}

static void ends_it(void *unused)
{
    (void)unused;
    raise_flag(&may_end);
}

/* Catches: a fiber that gives way to a task and waits, though other workers fall idle meanwhile. */
START_TEST(a_fiber_that_gives_way_is_made_known)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_group_submit(&group, spawns_on, NULL), 0);
    wait_for(&has_begun);
    before = by_none();
    ck_assert_int_eq(ws_group_submit(&group, ends_it, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    if (get(&all))
        ck_assert_int_ge(by_none(), before + 2); /* the task, then the fiber */
    stop_runtime();
}
END_TEST

static void *runs_a_region(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_run(child), 0);
    return NULL;
}

/* Catches: a root that is queued because no worker sleeps, and of which no worker is told: one that has just looked at the
 * queue, and falls asleep, does not see it. */
START_TEST(a_queued_root_is_made_known)
{
    ws_group group = WS_GROUP_INIT;
    pthread_t thread;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_group_submit(&group, keeps_the_worker, NULL), 0);
    wait_for(&has_begun);
    before = by_none();
    ck_assert_int_eq(pthread_create(&thread, NULL, runs_a_region, NULL), 0);
    while (!wsfj_root_pending())
        sched_yield();
    raise_flag(&may_end);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    if (get(&all))
        ck_assert_int_eq(by_none(), before + 1);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("dispatch");

    tcase_add_test(tcase, a_fiber_that_comes_back_makes_its_children_known);
    tcase_add_test(tcase, what_remains_is_made_known);
    tcase_add_test(tcase, a_fiber_that_gives_way_is_made_known);
    tcase_add_test(tcase, a_queued_root_is_made_known);
    return run_case("dispatch", tcase);
}
