/* SPDX-License-Identifier: MIT */
/*
 * All workers run fork/join work ("hogs") that ends only after a queued task has run: the queued task must get a
 * worker. A faulty library makes the program hang until the test's time runs out. Neighbour: yields.c, tasks that give
 * way by themselves.
 */
#include "../support/fib.h"
#include "../support/flags.h"
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#define FEW 4
static const size_t few[FEW] = {1, 2, 3, 8};

static long begun, done, errors;
static size_t hogs; /* one for each worker */
static sem_t gate;
static ws_group group;

static void wait_until(const long *counter, long value)
{
    while (get(counter) < value)
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

/* Fork/join work that goes on until `done`. Some of its children are stolen, some taken back by their parent, and some
 * are pending while the parent gives way; all results must be right. */
static void spawn_until_done(void)
{
    ws_frame();
    add(&begun, 1);
    while (!get(&done)) {
        long x = 0, y = 0;

        ws_spawn(fib, &x, 12L);
        ws_spawn(fib, &y, 10L);
        ws_sync();
        if (x != 144 || y != 55)
            add(&errors, 1);
    }
}

static WS_TASK_VOID(hog, int, pinned)
{
    pthread_t self = pthread_self();

    if (pinned && ws_pin() != 0)
        add(&errors, 1);
    spawn_until_done();
    if (pinned && !pthread_equal(self, pthread_self()))
        add(&errors, 1);
}

static void detached_hog(void *pinned)
{
    hog(pinned != NULL);
}

static void *foreign_hog(void *pinned)
{
    if (ws_run(hog, pinned != NULL) != 0)
        add(&errors, 1);
    return NULL;
}

static void finish(void *unused)
{
    (void)unused;
    add(&done, 1);
}

static WS_TASK_VOID(root_that_finishes)
{
    finish(NULL);
}

static void *run_root(void *unused)
{
    (void)unused;
    if (ws_run(root_that_finishes) != 0)
        add(&errors, 1);
    return NULL;
}

static void block_and_finish(void *unused)
{
    (void)unused;
    WS_BLOCKING
    {
        add(&begun, 1);
        while (sem_wait(&gate) != 0)
            ;
    }
    finish(NULL);
}

static void submit_in_a_task(void *unused)
{
    (void)unused;
    if (ws_submit(finish, NULL) != 0)
        add(&errors, 1);
    spawn_until_done();
}

/* The kinds of queued work: a task from outside, a task that a hog submits, a root, a fiber after a blocking
 * section. */
enum { TASK, TASK_OF_A_HOG, ROOT, FIBER, WHATS };

static void submit(ws_function *fn, void *arg)
{
    if (ws_group_submit(&group, fn, arg) != 0)
        abort();
}

static void busy_workers_let_it_run(int what, bool foreign, bool pinned)
{
    pthread_t threads[8], root;
    size_t rest = hogs - (what == TASK_OF_A_HOG);
    void *arg = pinned ? &group : NULL;

    ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
    if (what == FIBER)
        submit(block_and_finish, NULL);
    wait_until(&begun, what == FIBER);
    for (size_t i = 0; i < rest; i++) {
        if (foreign)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, foreign_hog, arg), 0);
        else
            submit(detached_hog, arg);
    }
    wait_until(&begun, (long)rest + (what == FIBER));
    if (what == TASK)
        submit(finish, NULL);
    else if (what == TASK_OF_A_HOG)
        submit(submit_in_a_task, NULL);
    else if (what == ROOT)
        ck_assert_int_eq(pthread_create(&root, NULL, run_root, NULL), 0);
    else
        sem_post(&gate);
    for (size_t i = 0; foreign && i < rest; i++)
        pthread_join(threads[i], NULL);
    if (what == ROOT)
        pthread_join(root, NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(get(&errors), 0);
}

/* Catches: queued work that no busy worker lets run. For each kind of work, with workers and guests that run pinned and
 * other tasks, with and without membarrier. */
START_TEST(queued_work_gets_a_worker)
{
    int how = _i / (FEW * WHATS);

    setenv("WSFJ_MEMBARRIER", how / 4 ? "0" : "1", 1);
    hogs = few[_i % FEW];
    start(hogs);
    busy_workers_let_it_run(_i / FEW % WHATS, how % 2, how / 2 % 2);
    stop_runtime();
}
END_TEST

/* A task without spawns and syncs. */
static void submit_and_spin(void *unused)
{
    (void)unused;
    submit(finish, NULL);
    add(&begun, 1);
    while (!get(&done))
        sched_yield();
}

/* Catches: a task in the run queue of a worker that does not give way, and that is ignored by workers that do. */
START_TEST(others_take_over_from_a_worker_that_does_not_give_way)
{
    hogs = few[1 + _i];
    start(hogs);
    for (size_t i = 1; i < hogs; i++)
        submit(detached_hog, NULL);
    wait_until(&begun, (long)hogs - 1);
    submit(submit_and_spin, NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(get(&errors), 0);
    stop_runtime();
}
END_TEST

#define TASKS 200L

static void *submit_many(void *unused)
{
    (void)unused;
    for (long i = 0; i < TASKS; i++) {
        submit(finish, NULL);
        nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    return NULL;
}

static WS_TASK(long, deep, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(deep, &x, n - 1);
    y = ws_call(deep, n - 2);
    ws_sync();
    return x + y;
}

/* Catches: a task that is lost or runs twice, because a fiber gave way with tasks pending at every depth. */
START_TEST(deep_recursions_give_way_again_and_again)
{
    pthread_t submitter;
    long r = 0;

    setenv("WSFJ_MEMBARRIER", _i / FEW ? "0" : "1", 1);
    start(few[_i % FEW]);
    ck_assert_int_eq(pthread_create(&submitter, NULL, submit_many, NULL), 0);
    while (get(&done) < TASKS) {
        ck_assert_int_eq(ws_run(deep, &r, 25L), 0);
        ck_assert_int_eq(r, 75025);
    }
    pthread_join(submitter, NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop_runtime();
}
END_TEST

static WS_TASK_VOID(leaf)
{
    __asm__ volatile("");
}

static void spawn_without_a_sync(void *unused)
{
    (void)unused;
    ws_frame();
    add(&begun, 1);
    while (!get(&done))
        ws_spawn(leaf);
}

/* Catches: a loop that gives way only at the sync after its end. */
START_TEST(a_loop_gives_way_at_its_spawns)
{
    setenv("WSFJ_MEMBARRIER", _i / FEW ? "0" : "1", 1);
    start(few[_i % FEW]);
    for (size_t i = 0; i < few[_i % FEW]; i++)
        submit(spawn_without_a_sync, NULL);
    wait_until(&begun, (long)few[_i % FEW]);
    submit(finish, NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop_runtime();
}
END_TEST

static int note_the_poll(void *unused)
{
    (void)unused;
    if (get(&begun))
        add(&done, 1);
    return 0;
}

/* Catches: a ws_config.poll that is never called while all workers are busy. */
START_TEST(busy_workers_do_not_keep_the_poll_away)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = few[_i];
    config.poll = note_the_poll;
    ck_assert_int_eq(ws_init(&config), 0);
    hogs = few[_i];
    for (size_t i = 0; i < hogs; i++)
        submit(detached_hog, NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(get(&errors), 0);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("preemption");

    tcase_add_loop_test(tcase, queued_work_gets_a_worker, 0, FEW * WHATS * 8);
    tcase_add_loop_test(tcase, others_take_over_from_a_worker_that_does_not_give_way, 0, FEW - 1);
    tcase_add_loop_test(tcase, deep_recursions_give_way_again_and_again, 0, 2 * FEW);
    tcase_add_loop_test(tcase, a_loop_gives_way_at_its_spawns, 0, 2 * FEW);
    tcase_add_loop_test(tcase, busy_workers_do_not_keep_the_poll_away, 0, FEW);
    return run_case("preemption", tcase);
}
