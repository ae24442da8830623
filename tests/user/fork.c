/* SPDX-License-Identifier: MIT */
/*
 * fork() in a program that uses the library: the parent goes on; the child has a runtime of its own or, after a fork in
 * a task, a fiber that goes on alone. A child that hangs fails (../support/limit.h).
 */
#include "../support/fib.h"
#include "../support/flags.h"
#include "../support/process.h"
#include "../support/resources.h"
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Children never assert: they count errors, and return them as exit codes. */

static void count(void *counter)
{
    (void)__atomic_fetch_add((int *)counter, 1, __ATOMIC_RELAXED);
}

/* All that a program may do with a runtime that has not started, as in a new process. */
static int wrong_in_fresh_process(void)
{
    ws_group group = WS_GROUP_INIT;
    struct ws_stats stats = {.size = sizeof stats};
    ws_config config;
    static int late;
    int n = 0, wrong = 0;
    long r = 0;

    wrong += ws_num_workers() != 0 || ws_worker_id() != -1;
    wrong += ws_stats_get(&stats) != 0 || stats.steals != 0 || stats.parks != 0 || stats.stacks != 0;
    wrong += ws_fini() != 0;
    wrong += ws_run(fib, &r, 12L) != 0 || r != 144 || ws_num_workers() != 2;
    for (int i = 0; i < 600; i++) /* more than a run queue holds */
        wrong += ws_group_submit(&group, count, &n) != 0;
    wrong += ws_group_wait(&group) != 0 || n != 600;
    wrong += ws_fini() != 0 || ws_num_workers() != 0;

    ws_config_default(&config);
    config.num_workers = 3;
    config.stack_size = 256 << 10;
    wrong += ws_init(&config) != 0 || ws_num_workers() != 3;
    wrong += ws_run(fib, &r, 12L) != 0 || r != 144;
    wrong += ws_submit(count, &late) != 0; /* may still run when the process ends */
    return wrong;
}

static int fresh_process(long by_exit)
{
    int wrong = wrong_in_fresh_process();

    if (by_exit)
        exit(wrong);
    return wrong;
}

/* Catches: a child that waits for the parent's threads or locks, or that inherits the parent's counts. */
START_TEST(a_child_starts_afresh_and_the_parent_goes_on)
{
    struct outcome child;

    setenv("WSFJ_NUM_WORKERS", "2", 1);
    child = in_child(fresh_process, 1); /* no runtime was ever started */
    expect_exit(&child, 0);
    for (int i = 0; i < 20; i++) {
        check_fib(15);
        child = in_child(fresh_process, i % 2);
        expect_exit(&child, 0);
        ck_assert_str_eq(child.text, "");
    }
    ck_assert_int_eq(ws_fini(), 0);
    child = in_child(fresh_process, 1);
    expect_exit(&child, 0);
}
END_TEST

static int stop_others, others_wrong;

static void *runs(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop_others, __ATOMIC_ACQUIRE)) {
        long r = 0;

        if (ws_run(fib, &r, 14L) != 0 || r != 377)
            count(&others_wrong);
    }
    return NULL;
}

static void *submits(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop_others, __ATOMIC_ACQUIRE)) {
        ws_group group = WS_GROUP_INIT;
        int n = 0;

        for (int i = 0; i < 100; i++)
            (void)ws_group_submit(&group, count, &n);
        if (ws_group_wait(&group) != 0 || n != 100)
            count(&others_wrong);
    }
    return NULL;
}

static void *starts_and_stops(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop_others, __ATOMIC_ACQUIRE)) {
        (void)ws_init(NULL);
        (void)ws_fini();
    }
    return NULL;
}

static void fork_among(void *(*const *bodies)(void *), int n, int forks)
{
    pthread_t threads[8];

    setenv("WSFJ_NUM_WORKERS", "2", 1);
    stop_others = others_wrong = 0;
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, bodies[i], NULL), 0);
    for (int i = 0; i < forks; i++) {
        struct outcome child = in_child(fresh_process, i % 2);

        expect_exit(&child, 0);
        ck_assert_str_eq(child.text, "");
    }
    __atomic_store_n(&stop_others, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(others_wrong, 0);
    ck_assert_int_eq(ws_fini(), 0);
}

/* Catches: a lock or a count that another thread holds at the fork, and that the child then has for ever. */
START_TEST(fork_while_other_threads_are_inside_the_library)
{
    static void *(*const bodies[])(void *) = {runs, runs, runs, submits, submits};

    fork_among(bodies, 5, 60);
}
END_TEST

/* Catches: a child of a half-started runtime. */
START_TEST(fork_while_another_thread_starts_and_stops)
{
    static void *(*const bodies[])(void *) = {starts_and_stops, starts_and_stops};

    fork_among(bodies, 2, 60);
}
END_TEST

#define GENERATIONS 40
/* A stack of 256 MiB reserves four times as much for its deque. Without a limit the number of stacks depends on what is
 * stolen: each thief that waits at a join keeps one. As much
 * as one more is left for all else. */
#define STACKS_MOST 8
#define STACK_KIB ((size_t)5 * 256 << 10)

static size_t mapped_before;

/* Each generation runs a region, checks its size and forks the next one. */
static int generation(long depth)
{
    struct child child;
    struct outcome o;
    ws_config config;
    long r = 0;

    ws_config_default(&config);
    config.max_stacks = STACKS_MOST;
    if (ws_init(&config) != 0 || ws_run(fib, &r, 12L) != 0 || r != 144)
        return 1;
    if (status_field("VmSize") > mapped_before + (STACKS_MOST + 1) * STACK_KIB)
        return 2;
    if (depth == 0)
        return 0;
    if (begin_child(&child))
        _exit(generation(depth - 1));
    o = end_child(&child);
    return WIFEXITED(o.status) ? WEXITSTATUS(o.status) : 3;
}

/* Catches: stacks of the parent that each generation of a process inherits. */
START_TEST(memory_does_not_grow_over_generations)
{
    struct outcome child;

    setenv("WSFJ_NUM_WORKERS", "2", 1);
    setenv("WSFJ_STACK_SIZE", "256M", 1);
    mapped_before = status_field("VmSize");
    child = in_child(generation, GENERATIONS);
    expect_exit(&child, 0);
}
END_TEST

/* So many workers that the library maps the stacks of their threads itself, half a MiB each. Ten generations together may
 * keep the stacks of two. */
#define MANY 100
#define MANY_KIB ((size_t)2 * MANY * 600)

static int generation_of_many(long depth)
{
    struct child child;
    struct outcome o;
    long r = 0;

    if (ws_run(fib, &r, 12L) != 0 || r != 144 || ws_num_workers() != MANY)
        return 1;
    if (status_field("VmSize") > mapped_before + MANY_KIB)
        return 2;
    if (depth == 0)
        return 0;
    if (begin_child(&child))
        _exit(generation_of_many(depth - 1));
    o = end_child(&child);
    return WIFEXITED(o.status) ? WEXITSTATUS(o.status) : 3;
}

/* Catches: stacks of the parent's threads that each generation of a process inherits. */
START_TEST(thread_stacks_do_not_grow_over_generations)
{
    struct outcome child;

    setenv("WSFJ_NUM_WORKERS", "100", 1);
    setenv("WSFJ_STACK_SIZE", "64K", 1);
    use_one_arena();
    mapped_before = status_field("VmSize");
    child = in_child(generation_of_many, 10);
    expect_exit(&child, 0);
}
END_TEST

/* Results of the fork inside a task; the main thread asserts. */
static struct outcome inside;
static bool parent_went_on;

/* The child of a fork inside a task. */
static int wrong_in_fork_child(void)
{
    int wrong = 0;
    long r = 0;

    wrong += ws_num_workers() != 0 || ws_worker_id() != -1;
    wrong += ws_init(NULL) != EDEADLK;
    wrong += fib(15) != 610;
    wrong += ws_run(fib, &r, 15L) != 0 || r != 610;
    wrong += ws_num_workers() != 0; /* that was a call */
    ws_yield();
    return wrong;
}

static WS_TASK(long, loops, long, n)
{
    static long results[200000];
    long wrong = 0;

    for (long i = 0; i < n; i++)
        ws_spawn(fib, &results[i], i % 7);
    ws_sync();
    for (long i = 0; i < n; i++)
        wrong += results[i] != serial_fib(i % 7);
    return wrong;
}

static WS_TASK(long, forks_first, int, by_exit)
{
    struct child child;

    if (begin_child(&child)) {
        int wrong = wrong_in_fork_child() + (ws_call(loops, 200000L) != 0);

        if (by_exit)
            exit(wrong);
        _exit(wrong);
    }
    inside = end_child(&child);
    return fib(15);
}

/* Catches: a spawn, a sync, a loop or a nested region that needs the workers; an exit() that waits for them. */
START_TEST(in_a_fork_inside_a_task_the_fiber_goes_on_serially)
{
    long r = 0;

    for (int i = 0; i < WORKERS; i++) {
        start(workers[i]);
        ck_assert_int_eq(ws_run(forks_first, &r, i % 2), 0);
        ck_assert_int_eq(r, 610);
        expect_exit(&inside, 0);
        ck_assert_str_eq(inside.text, "");
        check_fib(15);
        ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

/* The progress of a stolen child when its parent forks. */
static int begun, go_on;
static bool in_section; /* the parent forks in a blocking section */

static WS_TASK(long, stolen, long, n)
{
    raise_flag(&begun);
    wait_for(&go_on);
    return n;
}

static void is_taken(void *taken)
{
    raise_flag(taken);
}

/* One child that was stolen and is running or done, and others that are not stolen. */
static WS_TASK(long, forks_with_children, bool, done)
{
    struct child child;
    long results[3] = {0}, finished = 0;

    begun = go_on = 0;
    ws_spawn(stolen, &results[0], 5L);
    wait_for(&begun);
    if (done) {
        uint64_t end = now() + 100000000;

        raise_flag(&go_on);
        while (now() < end) /* usually the task is done by then; else this tests a running one */
            sched_yield();
    }
    /* The only thief waits in `stolen`, or a thief may take these: the test allows both. */
    if (!done) {
        ws_spawn(fib, &results[1], 12L);
        ws_spawn(fib, &results[2], 13L);
    }
    if (in_section) {
        int taken = 0;

        ws_blocking_begin();
        (void)ws_submit(is_taken, &taken);
        wait_for(
            &taken); /* the only thief waits in `stolen`, or is done: mostly the thread that has the slot now runs it */
    }
    if (begin_child(&child)) {
        go_on = 1;
        ws_sync();
        _exit(results[0] == 5 ? 0 : 9);
    }
    inside = end_child(&child);
    if (in_section)
        ws_blocking_end();
    raise_flag(&go_on);
    ws_sync();
    finished = results[0];
    parent_went_on = finished == 5 && (done || (results[1] == 144 && results[2] == 233));
    return finished;
}

/* On a worker's own thread, whose slot a spare takes in a section; ws_run() may run the task on the caller's thread. */
static void fork_on_worker(void *done)
{
    long r;

    (void)ws_run(forks_with_children, &r, *(bool *)done);
}

static void fork_with_children(bool done, bool section)
{
    ws_group group = WS_GROUP_INIT;
    long r = 0;

    start(2);
    parent_went_on = false;
    in_section = section;
    if (section)
        ck_assert_int_eq(ws_group_submit(&group, fork_on_worker, &done) | ws_group_wait(&group), 0);
    else
        ck_assert_int_eq(ws_run(forks_with_children, &r, done), 0);
    ck_assert(parent_went_on);
    ck_assert_int_eq(ws_fini(), 0);
}

static void expect_clear_end(const char *what)
{
    char line[200];

    snprintf(line, sizeof line,
             "libwsfj: fork() inside a task: in the child %s; end the child by exec(), _exit() or exit() before\n",
             what);
    expect_death(&inside, SIGABRT);
    ck_assert_str_eq(inside.text, line);
}

/* Catches: a child that waits for ever for a task that only the parent has, or for a slot that its parent has lent. */
START_TEST(a_child_cannot_wait_for_a_task_that_was_stolen_before)
{
    for (int i = 0; i < 5; i++) {
        fork_with_children(false, i % 2);
        expect_clear_end("a task waits for another one that the parent has");
    }
}
END_TEST

/* Catches: a child that ignores results which are there; one that goes on with its parent's blocking section. */
START_TEST(a_task_that_was_stolen_and_is_done_is_done_in_the_child)
{
    int good = 0;

    for (int i = 0; i < 20 && good == 0; i++) {
        fork_with_children(true, _i);
        if (died_of(&inside, SIGABRT)) {
            expect_clear_end("a task waits for another one that the parent has"); /* the machine was busy */
        } else {
            expect_exit(&inside, 0);
            ck_assert_str_eq(inside.text, "");
            good++;
        }
    }
    ck_assert_int_eq(good, 1);
}
END_TEST

static WS_TASK(long, forks_before_sync, long, n)
{
    struct child child;
    long results[8];

    for (int i = 0; i < 8; i++)
        ws_spawn(fib, &results[i], n + i);
    if (begin_child(&child)) {
        int wrong = 0;

        ws_sync();
        for (int i = 0; i < 8; i++)
            wrong += results[i] != serial_fib(n + i);
        _exit(wrong);
    }
    inside = end_child(&child);
    ws_sync();
    for (int i = 0; i < 8; i++)
        n += results[i] != serial_fib(n + i);
    return n;
}

/* Catches: children that are lost because they were public when the parent forked. With one worker no thief takes
 * them. */
START_TEST(what_was_spawned_before_and_not_stolen_runs_in_both)
{
    long r = 0;

    setenv("WSFJ_MEMBARRIER", _i ? "0" : "1", 1);
    start(1);
    ck_assert_int_eq(ws_run(forks_before_sync, &r, 6L), 0);
    ck_assert_int_eq(r, 6);
    expect_exit(&inside, 0);
    ck_assert_str_eq(inside.text, "");
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK_VOID(forks_and_returns)
{
    struct child child;

    if (begin_child(&child))
        return;
    inside = end_child(&child);
}

static WS_TASK_VOID(calls_forks_and_returns)
{
    ws_spawn(forks_and_returns);
    ws_sync(); /* called here or stolen: in both cases the child reaches the end of its fiber */
}

static void forks_detached(void *group)
{
    (void)group;
    forks_and_returns();
}

/* Catches: a child whose task returns into a scheduler that does not exist. */
START_TEST(a_child_cannot_leave_its_fiber)
{
    ws_group group = WS_GROUP_INIT;

    for (int i = 0; i < 10; i++) {
        start(workers[i % WORKERS]);
        memset(&inside, 0, sizeof inside);
        if (i % 2 == 0) {
            ck_assert_int_eq(ws_run(calls_forks_and_returns), 0);
        } else {
            ck_assert_int_eq(ws_group_submit(&group, forks_detached, &group), 0);
            ck_assert_int_eq(ws_group_wait(&group), 0);
        }
        expect_clear_end("the task that has called it cannot return");
        check_fib(15);
        ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

static int submits_in_fork_child(void)
{
    ws_group group = WS_GROUP_INIT;
    int n = 0, wrong = 0;

    for (int i = 0; i < 600; i++)
        wrong += ws_group_submit(&group, count, &n) != 0;
    wrong += ws_group_wait(&group) != 0 || n != 600;
    wrong += ws_num_workers() != strtoul(getenv("WSFJ_NUM_WORKERS"), NULL, 10); /* the workers of this process */
    wrong += fib(15) != 610;
    wrong += ws_fini() != 0;
    wrong += fib(15) != 610; /* still on its stack of the parent's runtime */
    return wrong;
}

static WS_TASK_VOID(forks_and_submits)
{
    struct child child;

    if (begin_child(&child))
        _exit(submits_in_fork_child());
    inside = end_child(&child);
}

static void forks_and_submits_there(void *unused)
{
    (void)unused;
    forks_and_submits();
}

/* Catches: a child that unmaps the stacks of its parent's threads although a worker's thread has forked: the C library then
 * has the data of the child's only thread there. */
START_TEST(a_child_of_a_worker_keeps_its_threads_data)
{
    ws_group group = WS_GROUP_INIT;

    setenv("WSFJ_NUM_WORKERS", "100", 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(ws_group_submit(&group, forks_and_submits_there, NULL), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        expect_exit(&inside, 0);
        ck_assert_str_eq(inside.text, "");
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a runtime of the child that unmaps the stack on which it was started. */
START_TEST(a_child_may_start_a_runtime_of_its_own_inside_its_task)
{
    setenv("WSFJ_NUM_WORKERS", "2", 1);
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(ws_run(forks_and_submits), 0);
        expect_exit(&inside, 0);
        ck_assert_str_eq(inside.text, "");
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static struct child serial_child;
static bool is_child;

static WS_TASK_VOID(forks_serially)
{
    is_child = begin_child(&serial_child);
}

/* Catches: a child in which a task outside any region cannot go on, or cannot return. */
START_TEST(a_task_outside_any_region_forks_as_any_function)
{
    setenv("WSFJ_NUM_WORKERS", "2", 1);
    check_fib(15);
    forks_serially();
    if (is_child)
        _exit(wrong_in_fresh_process());
    inside = end_child(&serial_child);
    expect_exit(&inside, 0);
}
END_TEST

static WS_TASK_VOID(holds_the_only_stack)
{
    /* A worker that searches may have the only stack for a moment; then this task runs on its caller's stack. */
    __atomic_store_n(&begun, ws_worker_id() >= 0 ? 1 : 2, __ATOMIC_RELEASE);
    wait_for(&go_on);
}

static void *holds(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_run(holds_the_only_stack), 0);
    return NULL;
}

/* Catches: a ws_run() on the caller's own stack that in the child leaves a count it is not in. */
START_TEST(a_region_on_the_callers_stack_forks_as_any_function)
{
    pthread_t thread;
    ws_config config;

    setenv("WSFJ_NUM_WORKERS", "2", 1);
    ws_config_default(&config);
    config.num_workers = 2;
    config.max_stacks = 1;
    ck_assert_int_eq(ws_init(&config), 0);
    for (;;) {
        begun = go_on = 0;
        ck_assert_int_eq(pthread_create(&thread, NULL, holds, NULL), 0);
        wait_for(&begun);
        if (begun == 1)
            break;
        raise_flag(&go_on);
        pthread_join(thread, NULL);
    }
    ck_assert_int_eq(ws_run(forks_serially), 0);
    if (is_child)
        _exit(wrong_in_fresh_process());
    inside = end_child(&serial_child);
    expect_exit(&inside, 0);
    raise_flag(&go_on);
    pthread_join(thread, NULL);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (SANITIZED)
        return EXIT_SKIPPED; /* other threads hold locks of the sanitizers' allocators, in the child for ever */
    tcase = new_case("fork");
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_starts_afresh_and_the_parent_goes_on);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, fork_while_other_threads_are_inside_the_library);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, fork_while_another_thread_starts_and_stops);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, memory_does_not_grow_over_generations);
    ADD_TEST_UNLESS(SANITIZED ? NOT_OUR_MEMORY : emulated(NO_THREADS), tcase,
                    thread_stacks_do_not_grow_over_generations);
    tcase_add_test(tcase, in_a_fork_inside_a_task_the_fiber_goes_on_serially);
    tcase_add_test(tcase, a_child_cannot_wait_for_a_task_that_was_stolen_before);
    tcase_add_loop_test(tcase, a_task_that_was_stolen_and_is_done_is_done_in_the_child, 0, 2);
    tcase_add_loop_test(tcase, what_was_spawned_before_and_not_stolen_runs_in_both, 0, 2);
    tcase_add_test(tcase, a_child_cannot_leave_its_fiber);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_may_start_a_runtime_of_its_own_inside_its_task);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_of_a_worker_keeps_its_threads_data);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_task_outside_any_region_forks_as_any_function);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_region_on_the_callers_stack_forks_as_any_function);
    return run_case("fork", tcase);
}
