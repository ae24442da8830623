/* SPDX-License-Identifier: MIT */
/* What submitting owes a group and the counts of tasks: lib/api/submit.c, group_wait.c. The linker puts a function between
 * submit.c and the global queue: the test looks at the moment when a task enters it, and can refuse the task there.
 * Neighbours: group.c; stress/submit.c. */
#include "task/deque.h"
#include "task/item.h"
#include "task/stack.h"
#include "worker/own.h"
#include "worker/items.h"

#include "../support/flags.h"
#include "../support/runtime.h"

#include <errno.h>
#include <pthread.h>

#define PATIENCE_NS (UINT64_C(10) * 1000000000) /* only a broken library needs it */

/* The linker's names: __real_ is the library's function, __wrap_ is called in its place. */
bool __real_wsfj_global_queue_put(struct wsfj_item item, bool wait);
bool __wrap_wsfj_global_queue_put(struct wsfj_item item, bool wait);

static ws_group group;
static int refuse, is_refusing, has_waited;
static long entered;

/* How many tasks the group counts, and whether a waiter waits (lib/queue/group.c). */
static uint64_t group_state(void)
{
    return __atomic_load_n(&group.wsfj_state, __ATOMIC_ACQUIRE);
}

/* What goes on after a wrong count may hang. */
static void check(bool right)
{
    if (!right)
        abort();
}

bool __wrap_wsfj_global_queue_put(struct wsfj_item item, bool wait)
{
    if (item.group != &group)
        return __real_wsfj_global_queue_put(item, wait);
    add(&entered, 1);
    check(group_state() >> 1 == 1);
    if (!is_raised(&refuse))
        return __real_wsfj_global_queue_put(item, wait);
    raise_flag(&is_refusing);
    while (!(group_state() & 1))
        sched_yield();
    return false;
}

/* The test's wrappers are not called after link-time optimisation. */
static bool saw_any(void)
{
    if (!get(&entered))
        printf("skipped: link-time optimisation leaves the linker no call to put this program into\n");
    return get(&entered) > 0;
}

static void nothing(void *unused)
{
    (void)unused;
}

/* Catches: a group that counts a task only when the task may already have ended: its waiter then returns too early, or
 * the count goes below zero. This thread submits; explore/group does the same with a task that submits. */
START_TEST(a_group_counts_a_task_before_it_is_queued)
{
    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_group_submit(&group, nothing, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop_runtime();
    if (saw_any())
        ck_assert_int_eq(get(&entered), 1);
}
END_TEST

static void waits(void *unused)
{
    (void)unused;
    wait_for(&is_refusing);
    check(ws_group_wait(&group) == 0);
    raise_flag(&has_waited);
}

static void *waits_outside(void *unused)
{
    waits(NULL);
    return unused;
}

static int polled_error, poll_begins, has_polled;

static int submits_polled(void *unused)
{
    (void)unused;
    if (!is_raised(&poll_begins) || is_raised(&has_polled))
        return 0;
    polled_error = ws_group_submit(&group, nothing, NULL);
    raise_flag(&has_polled);
    return 0;
}

/* Two workers: one polls while the other runs what waits. */
static void start_polling(void)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    config.poll = submits_polled;
    ck_assert_int_eq(ws_init(&config), 0);
}

static bool await_waiter(void)
{
    uint64_t end = now() + PATIENCE_NS;

    while (!is_raised(&has_waited) && now() < end)
        sched_yield();
    return is_raised(&has_waited);
}

/* Catches: a waiter that nobody resumes, because the group's last task was refused when the waiter had begun to wait; a
 * refused task that ws_fini() waits for; a use of the runtime that is not given back. The waiter is a task or a thread,
 * the submitter a thread or ws_config.poll. */
START_TEST(a_refused_task_that_was_the_last_resumes_the_waiter)
{
    bool outside = _i & 1, polled = _i & 2;
    ws_group waiters = WS_GROUP_INIT;
    pthread_t thread;

    start_polling();
    ck_assert_int_eq(ws_group_submit(&group, nothing, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    if (!saw_any()) {
        stop_runtime();
        return;
    }
    raise_flag(&refuse);
    if (outside)
        ck_assert_int_eq(pthread_create(&thread, NULL, waits_outside, NULL), 0);
    else
        ck_assert_int_eq(ws_group_submit(&waiters, waits, NULL), 0);
    if (polled) {
        raise_flag(&poll_begins);
        ck_assert_int_eq(ws_submit(nothing, NULL), 0); /* so that a worker searches, and then polls */
        wait_for(&has_polled);
        ck_assert_int_eq(polled_error, EAGAIN);
    } else {
        ck_assert_int_eq(ws_group_try_submit(&group, nothing, NULL), EAGAIN);
    }
    ck_assert(await_waiter());
    if (outside)
        pthread_join(thread, NULL);
    ck_assert_int_eq(ws_group_wait(&waiters), 0);
    for (uint64_t end = now() + PATIENCE_NS; ws_fini() != 0 && now() < end;)
        sched_yield();
    ck_assert_uint_eq(ws_num_workers(), 0);
}
END_TEST

static int is_called;
static struct wsfj_items during;

static void counts(void *unused)
{
    (void)unused;
    during = wsfj_items();
    raise_flag(&is_called);
}

/* It yields until it is the task's turn, on the only stack. */
static WS_TASK_VOID(yields_for_one)
{
    check(ws_group_submit(&group, counts, NULL) == 0);
    while (!is_raised(&is_called))
        ws_yield();
}

/* Catches: a task that is called on the stack of a waiting one, and counts as finished before it has run: a dump shows
 * nothing under way, and ws_fini() may stop the runtime below it. */
START_TEST(a_called_task_is_finished_after_the_call)
{
    ws_config config;
    struct wsfj_items after;

    ws_config_default(&config);
    config.num_workers = 1;
    config.max_stacks = 1;
    ck_assert_int_eq(ws_init(&config), 0);
    ck_assert_int_eq(ws_run(yields_for_one), 0);
    after = wsfj_items();
    ck_assert_uint_eq(during.submitted, 1);
    ck_assert_uint_eq(during.finished, 0);
    ck_assert_uint_eq(after.finished, 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static ws_group awaited = WS_GROUP_INIT;
static long went_on;

static void ends_a_wait(void *unused)
{
    (void)unused;
    check(!get(&went_on));
}

static void waits_for_it(void *unused)
{
    (void)unused;
    check(ws_group_wait(&awaited) == 0);
    add(&went_on, 1);
}

/* There is no stack for the task of `awaited`: it is called here. Its waiter then lies in the run queue. */
static void waits_for_the_waiter(void *unused)
{
    (void)unused;
    check(ws_group_wait(&group) == 0);
    check(get(&went_on) == 1);
    add(&went_on, 1);
}

/* The last one runs first. */
static void submits_three(void *unused)
{
    (void)unused;
    check(ws_submit(waits_for_the_waiter, NULL) == 0);
    check(ws_group_submit(&awaited, ends_a_wait, NULL) == 0);
    check(ws_group_submit(&group, waits_for_it, NULL) == 0);
}

/* Catches: a waiter without a stack for others that calls a fiber as a task, or takes it from the run queue and forgets it. */
START_TEST(a_helper_finds_a_fiber)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 1;
    config.max_stacks = 2;
    ck_assert_int_eq(ws_init(&config), 0);
    ck_assert_int_eq(ws_submit(submits_three, NULL), 0);
    for (uint64_t end = now() + PATIENCE_NS; get(&went_on) < 2 && now() < end;)
        sched_yield();
    ck_assert_int_eq(get(&went_on), 2);
    stop_runtime();
}
END_TEST

static void leaves_open(void *unused)
{
    struct wsfj_stack *own = wsfj_own_stack();

    (void)unused;
    check(own->blocking.sections == 0); /* outside the waiter's */
    check(ws_pin() == 0 && ws_pin() == 0);
    ws_blocking_begin();
    ws_blocking_begin();
    raise_flag(&is_called);
}

/* The waiter has a pin open, as has what it calls. */
static WS_TASK(int, calls_one_that_leaves_open, int, pins)
{
    struct wsfj_stack *own = wsfj_own_stack();

    for (int i = 0; i < pins; i++)
        check(ws_pin() == 0);
    check(ws_group_submit(&group, leaves_open, NULL) == 0);
    while (!is_raised(&is_called))
        ws_yield();
    check((int)own->pin.count == pins && own->blocking.sections == 0);
    check(!own->blocking.lender && ws_worker_id() == 0); /* it has its slot */
    for (int i = 0; i < pins; i++)
        ws_unpin();
    return own->pin.count == 0 && !own->pin.reserve;
}

/* It waits in a section, which is closed during the wait, and in a scope. */
static WS_TASK(int, waits_in_a_section)
{
    struct wsfj_stack *own = wsfj_own_stack();
    ws_scope scope;

    ws_scope_begin(&scope);
    check(ws_group_submit(&group, leaves_open, NULL) == 0);
    ws_blocking_begin();
    check(ws_group_wait(&group) == 0);
    check(wsfj_deque_scope(&own->deque) == &scope && ws_scope_end(&scope) == 0);
    check(!own->wait.must_help); /* else its progress does not count (stack.h) */
    check(is_raised(&is_called) && own->blocking.sections == 1 && own->blocking.lender && own->pin.count == 0);
    ws_blocking_end();
    return own->blocking.sections == 0 && !own->blocking.lender;
}

/* Catches: a section, a pin or the border of a called task, which stays open in the task that has called it. */
START_TEST(a_called_task_leaves_nothing_open)
{
    ws_config config;
    int ok = 0;

    ws_config_default(&config);
    config.num_workers = 1;
    config.max_stacks = 1;
    ck_assert_int_eq(ws_init(&config), 0);
    if (_i < 3)
        ck_assert_int_eq(ws_run(calls_one_that_leaves_open, &ok, _i), 0);
    else
        ck_assert_int_eq(ws_run(waits_in_a_section, &ok), 0);
    ck_assert_int_eq(ok, 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("submitted");

    tcase_add_test(tcase, a_group_counts_a_task_before_it_is_queued);
    tcase_add_test(tcase, a_called_task_is_finished_after_the_call);
    tcase_add_test(tcase, a_helper_finds_a_fiber);
    tcase_add_loop_test(tcase, a_called_task_leaves_nothing_open, 0, 4);
    tcase_add_loop_test(tcase, a_refused_task_that_was_the_last_resumes_the_waiter, 0, 4);
    return run_case("submitted", tcase);
}
