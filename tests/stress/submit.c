/* SPDX-License-Identifier: MIT */
/* Detached tasks under load, through the public interface, with 1, 2, 3, 8 and 33 workers. */
#include "../support/fib_task.h"
#include "../support/run.h"
#include "../support/sanitizer.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <wsfj.h>

#if SANITIZED_THREAD
#define SLOWNESS 20 /* of this build */
#else
#define SLOWNESS 1
#endif

static const size_t worker_counts[] = {1, 2, 3, 8, 33};
#define COUNTS ((int)(sizeof worker_counts / sizeof *worker_counts))

static ws_group group;
static atomic_long ran, errors;

static void start_with(size_t workers, size_t max_pending, size_t max_stacks)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.max_pending = max_pending;
    config.max_stacks = max_stacks;
    ck_assert_int_eq(ws_init(&config), 0);
}

static void start(int i)
{
    start_with(worker_counts[i], 0, 0);
}

/* All tasks are done: nothing may be pending, and the runtime stops. */
static void stop(void)
{
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(atomic_load(&errors), 0);
    ck_assert_int_eq(ws_fini(), 0);
}

static void expect_inside(int value)
{
    if (value != 0)
        atomic_fetch_add(&errors, 1);
}

/* Each task has its own mark. */
enum { TASKS = 200000 / SLOWNESS };
static atomic_uchar marks[TASKS];

static void mark(void *arg)
{
    atomic_fetch_add(&marks[(size_t)arg], 1);
    atomic_fetch_add(&ran, 1);
}

static void expect_marks(size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (marks[i] != 1) /* one assertion for each would take longer than the test */
            ck_abort_msg("task %zu: %d times", i, marks[i]);
}

struct range {
    size_t from, to;
};

static void submit_range(void *arg)
{
    const struct range *r = arg;

    for (size_t i = r->from; i < r->to; i++)
        expect_inside(ws_group_submit(&group, mark, (void *)i));
}

static void *submit_from_thread(void *arg)
{
    submit_range(arg);
    return NULL;
}

/* Catches: a task that is lost or runs twice, whether foreign threads or tasks submit, through run queues, run-next,
 * overflow, steals of halves and the global queue, with queues of all sizes. */
START_TEST(each_task_runs_once)
{
    enum { PRODUCERS = 4, EACH = TASKS / PRODUCERS };
    pthread_t threads[PRODUCERS / 2];
    struct range ranges[PRODUCERS];

    start_with(worker_counts[_i % COUNTS], _i < COUNTS ? 0 : 10, 0);
    for (size_t p = 0; p < PRODUCERS; p++) {
        ranges[p] = (struct range){p * EACH, (p + 1) * EACH};
        if (p < PRODUCERS / 2)
            ck_assert_int_eq(pthread_create(&threads[p], NULL, submit_from_thread, &ranges[p]), 0);
        else
            ck_assert_int_eq(ws_group_submit(&group, submit_range, &ranges[p]), 0);
    }
    for (int p = 0; p < PRODUCERS / 2; p++)
        pthread_join(threads[p], NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    expect_marks(TASKS);
    stop();
}
END_TEST

static void wait_for_others(void *arg)
{
    (void)arg;
    atomic_fetch_add(&ran, 1);
    while (atomic_load(&ran) < 2)
        ;
}

static void two_that_need_each_other(void *arg)
{
    expect_inside(ws_group_submit(&group, wait_for_others, arg));
    expect_inside(ws_group_submit(&group, wait_for_others, arg));
}

/* Catches: a run queue, or its run-next, from which no worker steals while its owner is in a long task: these two
 * tasks end only if they run at the same time. */
START_TEST(what_a_busy_worker_has_queued_is_stolen)
{
    start_with(2, 0, 0);
    for (int i = 0; i < 200; i++) {
        atomic_store(&ran, 0);
        ck_assert_int_eq(ws_group_submit(&group, two_that_need_each_other, NULL), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    }
    stop();
}
END_TEST

static atomic_int helped[2];

static void until_both_have_run_some(void *arg)
{
    (void)arg;
    atomic_store(&helped[ws_worker_id()], 1);
    while (!atomic_load(&helped[0]) || !atomic_load(&helped[1]))
        ;
    atomic_fetch_add(&ran, 1);
}

static void submit_hundred(void *arg)
{
    for (int i = 0; i < 100; i++)
        expect_inside(ws_group_submit(&group, until_both_have_run_some, arg));
}

/* Catches: tasks that stay with the worker that submitted them. */
START_TEST(of_100_tasks_both_workers_run_some)
{
    start_with(2, 0, 0);
    ck_assert_int_eq(ws_group_submit(&group, submit_hundred, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(atomic_load(&ran), 100);
    stop();
}
END_TEST

static atomic_int gate, at_gate;

static void wait_at_gate(void *arg)
{
    (void)arg;
    atomic_fetch_add(&at_gate, 1);
    while (!atomic_load(&gate))
        ;
    atomic_fetch_add(&ran, 1);
}

static void fill(void *arg)
{
    long n = 0;

    (void)arg;
    while (ws_group_try_submit(&group, wait_at_gate, NULL) == 0)
        n++;
    atomic_store(&gate, (int)n);
}

/* Catches: a bound that does not hold: memory would grow as long as the producer is faster. */
START_TEST(try_submit_refuses_when_the_queues_are_full)
{
    long n = 0;

    start_with(1, 100, 0);
    if (_i == 0) { /* a foreign thread uses only the global queue, and a busy worker takes no more from it */
        ck_assert_int_eq(ws_group_submit(&group, wait_at_gate, NULL), 0);
        while (!atomic_load(&at_gate))
            ;
        for (n = 1; ws_group_try_submit(&group, wait_at_gate, NULL) == 0; n++)
            ck_assert_int_le(n, 100);
        ck_assert_int_eq(n, 1 + 100);
        ck_assert_int_eq(ws_try_submit(wait_at_gate, NULL), EAGAIN);
        atomic_store(&gate, 1);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    } else {
        ck_assert_int_eq(ws_group_submit(&group, fill, NULL), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        n = atomic_load(&gate);
        ck_assert_int_ge(n, 256);
        ck_assert_int_le(n, 100 + 256 + 1);
    }
    ck_assert_int_eq(atomic_load(&ran), n);
    stop();
}
END_TEST

/* Catches: a submitter that hangs, or loses tasks, when there is no room; it must let its worker run others. */
START_TEST(submit_waits_for_room)
{
    struct range range = {0, 20000 / SLOWNESS};

    start_with(worker_counts[_i % COUNTS], 1, 0);
    if (_i < COUNTS)
        submit_range(&range);
    else
        ck_assert_int_eq(ws_group_submit(&group, submit_range, &range), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    expect_marks(range.to);
    stop();
}
END_TEST

/* Keeps every worker busy with tasks of its own run queue until another worker's task has run. */
static void for_ever(void *arg)
{
    if (!atomic_load(&gate))
        expect_inside(ws_group_submit(&group, for_ever, arg));
}

static void yield_for_ever(void *arg)
{
    (void)arg;
    while (!atomic_load(&gate))
        ws_yield();
}

static void open_gate(void *arg)
{
    (void)arg;
    atomic_store(&gate, 1);
}

static WS_TASK_VOID(open_gate_in_region)
{
    atomic_store(&gate, 1);
}

/* Catches: a global queue, or a queue of roots, that starves while run queues are never empty or fibers only yield. */
START_TEST(nothing_starves_behind_busy_rings)
{
    start(_i % COUNTS);
    for (size_t i = 0; i < 2 * worker_counts[_i % COUNTS]; i++)
        ck_assert_int_eq(ws_group_submit(&group, i % 2 ? for_ever : yield_for_ever, NULL), 0);
    if (_i < COUNTS)
        ck_assert_int_eq(ws_group_submit(&group, open_gate, NULL), 0);
    else
        ck_assert_int_eq(ws_run(open_gate_in_region), 0);
    stop();
}
END_TEST

/* Has a child, and reaches its sync only after the child has begun on another worker. */
static WS_TASK_VOID(child_must_be_stolen)
{
    ws_spawn(open_gate_in_region);
    while (!atomic_load(&gate))
        sched_yield();
    ws_sync();
}

static void expect_to_nearest(void *arg)
{
    (void)arg;
    expect_inside(fegetround() == FE_TONEAREST ? 0 : 1);
}

static WS_TASK_VOID(wait_rounding_up)
{
    expect_inside(ws_group_submit(&group, expect_to_nearest, NULL));
    expect_inside(ws_group_wait(&group));
    expect_inside(fegetround() == FE_UPWARD ? 0 : 2);
}

/* Catches: a task that has the rounding mode of its caller when it is called for lack of stacks, or a caller with the
 * task's. */
START_TEST(rounding_is_each_tasks_own)
{
    start_with(worker_counts[_i % COUNTS], 0, _i < COUNTS ? 0 : 1);
    for (int i = 0; i < 20; i++) {
        fesetround(FE_UPWARD);
        ck_assert_int_eq(ws_run(wait_rounding_up), 0);
        ck_assert_int_eq(fegetround(), FE_UPWARD);
        fesetround(FE_TONEAREST);
    }
    stop();
}
END_TEST

/* Catches: workers that never steal while their own queues are never empty. */
START_TEST(busy_queues_do_not_keep_from_stealing)
{
    start_with(2, 0, 0);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(ws_group_submit(&group, _i ? for_ever : yield_for_ever, NULL), 0);
    ck_assert_int_eq(ws_run(child_must_be_stolen), 0);
    stop();
}
END_TEST

static WS_TASK_VOID(submit_and_yield)
{
    expect_inside(ws_group_submit(&group, open_gate, NULL));
    while (!atomic_load(&gate))
        ws_yield();
}

/* Catches: a root on its caller's thread that gets itself back at every yield, for ever: with one worker the slot must
 * go to the worker's thread. */
START_TEST(a_root_that_yields_lets_detached_tasks_run)
{
    start(_i);
    ck_assert_int_eq(ws_run(submit_and_yield), 0);
    stop();
}
END_TEST

/* Forks and joins, submits, yields and waits, to the depth of `arg`. */
static void everything(void *arg)
{
    long depth = (long)arg, x;
    ws_group own = WS_GROUP_INIT;

    ws_frame();
    atomic_fetch_add(&ran, 1);
    ws_spawn(fib, &x, 8);
    ws_yield();
    for (int i = 0; depth && i < 3; i++)
        expect_inside(ws_group_submit(&own, everything, (void *)(depth - 1)));
    ws_sync();
    expect_inside(ws_group_wait(&own));
    expect_inside(x != 21);
}

static WS_TASK_VOID(everything_in_region, long, depth)
{
    ws_group own = WS_GROUP_INIT;

    expect_inside(ws_group_submit(&own, everything, (void *)depth));
    expect_inside(ws_group_wait(&own));
}

/* Catches: a waiter that blocks its worker, is resumed twice or never; a stack that is lost. With a limit on stacks:
 * waiters that have all of them. */
START_TEST(tasks_fork_join_submit_yield_and_wait)
{
    enum { DEPTH = 6, NODES = (2187 - 1) / 2 };

    start_with(worker_counts[_i % COUNTS], 0, _i < COUNTS ? 0 : 1 + (size_t)(_i % 3));
    ck_assert_int_eq(ws_run(everything_in_region, DEPTH), 0);
    ck_assert_int_eq(atomic_load(&ran), NODES);
    ck_assert_int_eq(ws_group_submit(&group, everything, (void *)(long)DEPTH), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(atomic_load(&ran), 2 * NODES);
    stop();
}
END_TEST

static __attribute__((noinline)) void wait_for_group_of_this_frame(void)
{
    ws_group own = WS_GROUP_INIT;

    for (int i = 0; i < 2; i++)
        expect_inside(ws_group_submit(&own, mark, NULL));
    expect_inside(ws_group_wait(&own));
}

static __attribute__((noinline)) void use_the_same_memory(void)
{
    volatile char bytes[1024];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0;
}

static void wait_often(void *arg)
{
    for (int i = 0; i < 100; i++) {
        wait_for_group_of_this_frame();
        use_the_same_memory();
    }
    (void)arg;
}

/* Catches, with ThreadSanitizer: a wait that ends before the library's last access to the group. */
START_TEST(the_memory_of_a_group_is_free_after_the_wait)
{
    start_with(worker_counts[_i % COUNTS], 0, _i < COUNTS ? 0 : 2);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(ws_group_submit(&group, wait_often, NULL), 0);
    stop();
}
END_TEST

/* Catches: a runtime that is stopped while tasks are pending; a runtime that cannot be stopped after they are done. */
START_TEST(fini_is_refused_while_tasks_are_pending)
{
    start_with(2, 0, 0);
    ck_assert_int_eq(ws_group_submit(&group, wait_at_gate, NULL), 0);
    ck_assert_int_eq(ws_submit(wait_at_gate, NULL), 0);
    ck_assert_int_eq(ws_fini(), EBUSY);
    atomic_store(&gate, 1);
    while (atomic_load(&ran) < 2)
        ;
    ck_assert_int_eq(ws_group_wait(&group), 0);
    while (ws_fini() == EBUSY)
        ; /* the task without a group is done, but perhaps not yet counted */
    ck_assert_int_eq(ws_submit(NULL, NULL), EINVAL);
    ck_assert_uint_eq(ws_num_workers(), 0);
}
END_TEST

/* Catches: a first ws_submit() that does not start the runtime; 10^6 tasks whose stacks are kept. */
START_TEST(many_tasks_need_few_stacks)
{
    struct ws_stats stats = {.size = sizeof stats};

    for (size_t i = 0; i < 300000 / SLOWNESS; i++)
        ck_assert_int_eq(ws_group_submit(&group, mark, (void *)(i % TASKS)), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(ws_stats_get(&stats), 0);
    ck_assert_uint_le(stats.stacks, 2 + 3 * ws_num_workers());
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("submit");

    tcase_add_loop_test(tcase, each_task_runs_once, 0, 2 * COUNTS);
    tcase_add_test(tcase, what_a_busy_worker_has_queued_is_stolen);
    tcase_add_test(tcase, of_100_tasks_both_workers_run_some);
    tcase_add_loop_test(tcase, try_submit_refuses_when_the_queues_are_full, 0, 2);
    tcase_add_loop_test(tcase, submit_waits_for_room, 0, 2 * COUNTS);
    tcase_add_loop_test(tcase, nothing_starves_behind_busy_rings, 0, 2 * COUNTS);
    tcase_add_loop_test(tcase, rounding_is_each_tasks_own, 0, 2 * COUNTS);
    tcase_add_loop_test(tcase, busy_queues_do_not_keep_from_stealing, 0, 2);
    tcase_add_loop_test(tcase, a_root_that_yields_lets_detached_tasks_run, 0, COUNTS);
    tcase_add_loop_test(tcase, tasks_fork_join_submit_yield_and_wait, 0, 2 * COUNTS);
    tcase_add_loop_test(tcase, the_memory_of_a_group_is_free_after_the_wait, 0, 2 * COUNTS);
    tcase_add_test(tcase, fini_is_refused_while_tasks_are_pending);
    tcase_add_test(tcase, many_tasks_need_few_stacks);
    return run_case("submit", tcase);
}
