/* SPDX-License-Identifier: MIT */
/*
 * Groups: tasks end on several threads while a fiber or a foreign thread waits (GROUP-1 to GROUP-4), with the real
 * ws_group_wait() and ws_group_submit(). The waiter goes on when all tasks have ended, not earlier, with what they did;
 * then the group's memory is used for something else, so that a later touch is a race. Fibers run under the scheduler's
 * real loop. A waiter that is never resumed shows as an execution that does not end.
 *
 * Not here: how a group's tasks wake workers (submit.c).
 */
#include "awake.h"

#include "base/atomic.h"
#include "idle/park.h"
#include "idle/resume.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "sched/load.h"
#include "sched/steal.h"
#include "task/item.h"
#include "task/pool.h"
#include "wait/table.h"
#include "worker/items.h"
#include "worker/use.h"
#include "worker/workers.h"

#include <errno.h>
#include <string.h>

enum { TASKS = 2 };

static ws_group group, inner;
static unsigned results[TASKS], went_on, waiters, counted;
static bool again; /* the waiter waits for another task afterwards */
static bool stays; /* the group's memory stays a group */
static bool told;  /* the waiter has gone on */

/* As try_run_queue() in steal.c: what waits in another worker's queue. */
struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct wsfj_run_queue *queue = &awake[w->id != 1].detached.queue;
    struct wsfj_stack *fresh = wsfj_pool_take(&w->cache), *stolen_fiber = NULL;
    struct wsfj_item item;

    (void)only;
    if (!fresh)
        return NULL;
    if (wsfj_run_queue_steal(queue, &w->detached.queue, &item)) {
        if (!wsfj_item_fiber(item)) {
            wsfj_load_item(fresh, item);
            return fresh;
        }
        stolen_fiber = wsfj_item_fiber(item);
    }
    wsfj_pool_give(&w->cache, fresh);
    return stolen_fiber;
}

static void work(void *arg)
{
    results[(uintptr_t)arg]++;
}

static void filler(void *arg)
{
    (void)arg;
}

/* Submits the second task, and ends when a thief has had the time to visit run-next twice. */
static void work_and_submit(void *arg)
{
    (void)arg;
    explore_must(ws_group_submit(&group, work, (void *)1) == 0, "a submit fails");
    engine_pause();
    engine_pause();
    work(NULL);
}

/* All tasks have ended. From here on the memory of the group is something else. */
static void go_on(void)
{
    for (unsigned i = 0; i < counted; i++)
        explore_must(results[i] == 1, "the waiter goes on before a task has ended");
    if (!stays)
        group.wsfj_state = 0;
    went_on++;
}

static void wait_outside(void)
{
    explore_must(ws_group_wait(&group) == 0, "a waiter is refused");
    go_on();
}

/* The waiter as a fiber. The workers end when it has gone on. */
static void wait_inside(void *arg)
{
    (void)arg;
    explore_must(ws_group_wait(&group) == 0, "a waiter is refused");
    if (again) {
        counted = 2;
        (void)ws_group_submit(&group, work, (void *)1);
        explore_must(ws_group_wait(&group) == 0, "a waiter is refused");
    }
    go_on();
    store_release(&told, true);
    if (went_on == waiters)
        wsfj_park_stop();
}

/* A task of the group that waits for another group. */
static void wait_for_inner(void *arg)
{
    explore_must(ws_group_wait(&inner) == 0, "a waiter is refused");
    explore_must(results[1] == 1, "the waiter goes on before a task has ended");
    work(arg);
}

/* A task that relies on the waiter. */
static void outlast(void *arg)
{
    (void)arg;
    while (!load_acquire(&told))
        engine_pause();
}

static void push(unsigned worker, ws_function *fn, uintptr_t arg, ws_group *of)
{
    (void)wsfj_run_queue_push(&awake[worker].detached.queue, (struct wsfj_item){fn, (void *)arg, of});
}

static void share_bucket(const ws_group *of)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(of);

    wsfj_table_unlock(bucket);
    explore_shared(bucket, WSFJ_CACHE_LINE / 2);
}

static void start(unsigned workers, unsigned tasks)
{
    awake_start(workers);
    explore_thread_local(&wsfj_tls);
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE), "no memory");
    wsfj_table_forget();
    share_bucket(&group);
    share_bucket(&inner);
    wsfj_load_start();
    wsfj_items_start();
    wsfj_use_forget();
    wsfj_use_become(WSFJ_UP);
    ws_group_init(&group);
    ws_group_init(&inner);
    memset(results, 0, sizeof results);
    went_on = 0;
    waiters = 1;
    again = stays = told = false;
    counted = tasks;
    explore_shared(&group, sizeof group);
    explore_shared(results, sizeof results);
    explore_shared(&told, sizeof told);
}

/* Two tasks that have begun already. */
static void start_two(void)
{
    start(0, 2);
    wsfj_group_add(&group);
    wsfj_group_add(&group);
}

static void start_one(void)
{
    start(0, 1);
    waiters = 2;
    stays = true;
    wsfj_group_add(&group);
}

/* Worker 0 has the waiter, worker 1 the only task. */
static void start_fiber_with(unsigned stacks)
{
    start(2, 1);
    for (unsigned i = 0; i < stacks; i++)
        pools_give(0, i);
    pools_give(1, 3);
    push(0, wait_inside, 0, NULL);
    wsfj_group_add(&group);
    push(1, work, 0, &group);
}

static void start_fiber(void)
{
    start_fiber_with(2);
}

/* Two fibers wait. Who ends the task resumes the one, and the other comes into its run queue. */
static void start_fibers(void)
{
    start_fiber_with(3);
    push(0, wait_inside, 0, NULL);
    waiters = 2;
    stays = true;
}

static void start_fiber_again(void)
{
    start_fiber_with(2);
    again = true;
}

/* Each worker has one stack only: the waiter may not leave its stack idle. */
static void start_short(void)
{
    start_fiber_with(1);
    again = true;
}

/* Worker 0 waits in a fiber for worker 1's `task`. */
static void start_inside(ws_function *task)
{
    start(2, 2);
    pools_give(0, 0);
    pools_give(0, 1);
    pools_give(1, 3);
    push(0, wait_inside, 0, NULL);
    wsfj_group_add(&group);
    push(1, task, 0, &group);
}

/* Worker 1's task submits the other one. */
static void start_submitter(void)
{
    start_inside(work_and_submit);
}

/* The same with a thief more. */
static void start_thieves(void)
{
    start_submitter();
    wsfj_num_workers = 3;
    pools_give(2, 2);
}

/* Worker 1's stack runs two tasks of the group in a row, then a task of no group. */
static void start_row(void)
{
    start_inside(work);
    wsfj_group_add(&group);
    push(1, work, 1, &group);
    push(1, outlast, 0, NULL);
}

/* Two stacks for two waiters: the one that keeps its stack runs the task that the other waits for. Worker 1 has no
 * stack, and runs only fibers that come back. */
static void start_inner(void)
{
    start(2, 2);
    pools_give(0, 0);
    pools_give(0, 1);
    wsfj_group_add(&group);
    push(0, wait_for_inner, 0, &group);
    push(0, wait_inside, 0, NULL);
    wsfj_group_add(&inner);
    push(0, work, 1, &inner);
}

/* A worker without work, for a foreign submitter. */
static void start_foreign(void)
{
    start(1, 1);
    pools_give(0, 0);
}

/* The worker has the waiter, a foreign thread a task of the group. */
static void start_outer(void)
{
    start(1, 2);
    pools_give(0, 0);
    pools_give(0, 1);
    push(0, wait_inside, 0, NULL);
    wsfj_group_add(&group);
}

/* The global queue is full, and the group has no task. */
static void start_full(void)
{
    start(1, 0);
    stays = true;
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(1), "no memory");
    (void)wsfj_global_queue_put((struct wsfj_item){filler, NULL, NULL}, false);
    pools_give(0, 0);
    pools_give(0, 1);
    push(0, wait_inside, 0, NULL);
}

/* The end of a task. */
static void finish(void)
{
    work((void *)(uintptr_t)(explore_self() % counted));
    explore_must(!wsfj_group_finish(&group, 1), "a fiber is resumed, but none waits");
}

static void submit_and_wait(void)
{
    explore_must(ws_group_submit(&group, work, NULL) == 0, "a submit fails");
    wait_outside();
    wsfj_park_stop();
}

/* As a task of the group that submits another one and ends, on a thread that serves no worker. */
static void submit_and_finish(void)
{
    explore_must(ws_group_submit(&group, work, (void *)1) == 0, "a submit fails");
    work(NULL);
    wsfj_resume_all(wsfj_group_finish(&group, 1));
}

/* The submit may be refused while the waiter waits for this task only. */
static void try_submit(void)
{
    int error = ws_group_try_submit(&group, filler, NULL);

    explore_must(error == 0 || error == EAGAIN, "an error that is none");
}

static void all_went_on(void)
{
    explore_must(went_on == waiters, "a waiter does not go on exactly once");
}

#define DONE "wsfj_group_done", "load", "&group->wsfj_state", EXPLORE_WEAKER, __ATOMIC_RELAXED
#define FINISH "wsfj_group_finish", "cas", "&group->wsfj_state"
#define MUST_WAIT "must_wait", "cas", "&group->wsfj_state"

static const struct explore_mutant outside[] = {
    {"whether tasks remain is read relaxed", DONE},
    {"a task ends without a release (GROUP-1)", FINISH, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"a task ends in two steps (GROUP-2)", FINISH, EXPLORE_SPLIT, 0},
    {"the waiter says in two steps that it waits (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {"the waiter tests without the lock (GROUP-3)", "wsfj_spin_take", "exchange", "lock", EXPLORE_SKIP, 0},
    {"nobody is woken", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant two_outside[] = {
    {"the waiters say in two steps that they wait (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {"nobody is woken", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant fibers[] = {
    {"whether tasks remain is read relaxed", DONE},
    {"a task ends without a release (GROUP-1)", FINISH, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the waiter says in two steps that it waits (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant two_fibers[] = {
    {"the second fiber is not queued", "wsfj_run_queue_put_next", "store", "&queue->tail", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant twice[] = {
    {"the waiter says in two steps that it waits (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {"a task ends in two steps (GROUP-2)", FINISH, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant helpers[] = {
    {"whether tasks remain is read relaxed", DONE},
    {"a task ends relaxed (GROUP-1)", FINISH, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the waiter does not see that it must help", "wait_inside", "load", "&own->wait.must_help", EXPLORE_VALUE, 0},
    {NULL}};

static const struct explore_mutant rows[] = {
    {"tasks end without a release (GROUP-1)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"tasks end in two steps (GROUP-2)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant counts[] = {
    {"a task is counted after it is published", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_LATE, 9},
    {"a task is not counted", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant early[] = {
    {"a task is counted just after it is published", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_LATE, 8},
    {NULL}};

static const struct explore_mutant inners[] = {
    {"a task that is called does not end", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant foreign[] = {
    {"a task ends without a release (GROUP-1)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"a task is not counted", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant outer[] = {
    {"a task is counted after it is published", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_LATE, 1},
    {NULL}};

static const struct explore_mutant refused[] = {
    {"a refused task stays counted", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_SKIP, 0},
    {"the waiter says in two steps that it waits (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"two tasks, a foreign waiter", start_two, {wait_outside, finish, finish}, all_went_on, {2, 1}, {4, 2}, outside},
    {"a task, two foreign waiters",
     start_one,
     {wait_outside, wait_outside, finish},
     all_went_on,
     {1, 1},
     {3, 1},
     two_outside},
    {"a task, a fiber waits", start_fiber, {awake_serve, awake_serve}, all_went_on, {1, 1}, {3, 1}, fibers},
    {"a task, two fibers wait", start_fibers, {awake_serve, awake_serve}, all_went_on, {1, 0}, {2, 1}, two_fibers},
    {"a fiber waits twice", start_fiber_again, {awake_serve, awake_serve}, all_went_on, {1, 0}, {3, 1}, twice},
    {"a waiter without a stack to spare", start_short, {awake_serve, awake_serve}, all_went_on, {1, 0}, {2, 1}, helpers},
    {"a task submits another", start_submitter, {awake_serve, awake_serve}, all_went_on, {1, 1}, {3, 1}, counts},
    {"a task submits another, two thieves",
     start_thieves,
     {awake_serve, awake_serve, awake_serve},
     all_went_on,
     {1, 0},
     {1, 1},
     early},
    {"tasks in a row (GROUP-4)", start_row, {awake_serve, awake_serve}, all_went_on, {1, 0}, {2, 1}, rows},
    {"a waiter helps another", start_inner, {awake_serve, awake_serve}, all_went_on, {1, 0}, {2, 1}, inners},
    {"a foreign thread submits and waits",
     start_foreign,
     {awake_serve, submit_and_wait},
     all_went_on,
     {1, 1},
     {3, 1},
     foreign},
    {"a foreign thread submits and ends",
     start_outer,
     {awake_serve, submit_and_finish},
     all_went_on,
     {1, 1},
     {3, 1},
     outer},
    {"a refused submit is the last", start_full, {awake_serve, try_submit}, all_went_on, {1, 1}, {3, 1}, refused},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
