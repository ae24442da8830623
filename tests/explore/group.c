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
#include "queue/global_queue.h"
#include "queue/group.h"
#include "sched/load.h"
#include "sched/steal.h"
#include "task/item.h"
#include "task/pool.h"
#include "worker/items.h"
#include "worker/use.h"
#include "worker/workers.h"

#include <errno.h>
#include <string.h>

enum { TASKS = 2 };

static ws_group group, inner;
static unsigned results[TASKS], went_on, busy, counted;
static bool again; /* the waiter waits for another task afterwards */
static bool stays; /* the group's memory stays a group */
static bool told;  /* the waiter has gone on */

/* As try_run_queue() in steal.c: what waits in another worker's queue. */
struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    struct wsfj_run_queue *queue = &awake[w->id != 1].detached.queue;
    struct wsfj_stack *fresh = wsfj_pool_take(&w->cache);
    struct wsfj_item item;

    (void)only;
    if (!fresh)
        return NULL;
    if (!wsfj_run_queue_steal(queue, &w->detached.queue, &item)) {
        wsfj_pool_give(&w->cache, fresh);
        return NULL;
    }
    wsfj_load_item(fresh, item);
    return fresh;
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
        group.wsfj_state = group.wsfj_waiter = 0;
    went_on++;
}

static void wait_outside(void)
{
    explore_must(ws_group_wait(&group) == 0, "a lone waiter is refused");
    go_on();
}

/* The waiter as a fiber. The workers end when it has gone on. */
static void wait_inside(void *arg)
{
    (void)arg;
    explore_must(ws_group_wait(&group) == 0, "a lone waiter is refused");
    if (again) {
        counted = 2;
        (void)ws_group_submit(&group, work, (void *)1);
        explore_must(ws_group_wait(&group) == 0, "a lone waiter is refused");
    }
    go_on();
    store_release(&told, true);
    wsfj_park_stop();
}

/* A task of the group that waits for another group. */
static void wait_for_inner(void *arg)
{
    explore_must(ws_group_wait(&inner) == 0, "a lone waiter is refused");
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

static void wait_against_another(void)
{
    int error = ws_group_wait(&group);

    explore_must(error == 0 || error == EBUSY, "an error that is none");
    if (error) {
        busy++;
        return;
    }
    for (unsigned i = 0; i < counted; i++)
        explore_must(results[i] == 1, "a waiter goes on before a task has ended");
    went_on++;
}

static void push(unsigned worker, ws_function *fn, uintptr_t arg, ws_group *of)
{
    (void)wsfj_run_queue_push(&awake[worker].detached.queue, (struct wsfj_item){fn, (void *)arg, of});
}

static void start(unsigned workers, unsigned tasks)
{
    awake_start(workers);
    explore_thread_local(&wsfj_tls);
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE), "no memory");
    wsfj_load_start();
    wsfj_items_start();
    wsfj_use_forget();
    wsfj_use_become(WSFJ_UP);
    ws_group_init(&group);
    ws_group_init(&inner);
    memset(results, 0, sizeof results);
    went_on = busy = 0;
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
    struct wsfj_stack *resume;

    explore_must(ws_group_submit(&group, work, (void *)1) == 0, "a submit fails");
    work(NULL);
    resume = wsfj_group_finish(&group, 1);
    if (resume)
        wsfj_global_queue_put_fiber(resume);
}

/* The submit may be refused while the waiter waits for this task only. */
static void try_submit(void)
{
    int error = ws_group_try_submit(&group, filler, NULL);

    explore_must(error == 0 || error == EAGAIN, "an error that is none");
}

static void went_on_once(void)
{
    explore_must(went_on == 1, "the waiter does not go on exactly once");
}

/* The last task has ended: the claims are gone. */
static void one_waited(void)
{
    explore_must(went_on + busy == 2 && went_on > 0, "a waiter is lost");
    explore_must(!group.wsfj_state && !group.wsfj_waiter, "a claim stays");
}

static const struct explore_mutant outside[] = {
    {"whether tasks remain is read relaxed", "wsfj_group_done", "load", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a task ends without a release (GROUP-1)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"a task ends without an acquire (GROUP-1)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"a task ends in two steps (GROUP-2)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_SPLIT, 0},
    {"the waiter reads the state relaxed (GROUP-3)", "begin_waiting", "load", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the waiter registers without a release (GROUP-3)", "begin_waiting", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"the waiter registers without an acquire (GROUP-3)", "begin_waiting", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the waiter registers in two steps (GROUP-3)", "begin_waiting", "cas", "&group->wsfj_state", EXPLORE_SPLIT, 0},
    {"the flag is written relaxed", "wake", "store", "done", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the flag is read relaxed", "wsfj_group_wait_outside", "load", "&done", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the flag is written, and nobody woken", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant claims[] = {
    {"a waiter claims in two steps", "claim", "cas", "&group->wsfj_waiter", EXPLORE_SPLIT, 0},
    {"the last task leaves the claim", "wsfj_group_finish", "store", "&group->wsfj_waiter", EXPLORE_SKIP, 0},
    {"a waiter that need not wait leaves its claim", "begin_waiting", "store", "&group->wsfj_waiter", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant fibers[] = {{"whether tasks remain is read relaxed", "wsfj_group_done", "load",
                                                "&group->wsfj_state", EXPLORE_WEAKER, __ATOMIC_RELAXED},
                                               {"a task ends without a release (GROUP-1)", "wsfj_group_finish", "cas",
                                                "&group->wsfj_state", EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
                                               {"a task ends without an acquire (GROUP-2)", "wsfj_group_finish", "cas",
                                                "&group->wsfj_state", EXPLORE_WEAKER, __ATOMIC_RELEASE},
                                               {"the waiter registers without a release (GROUP-3)", "begin_waiting",
                                                "cas", "&group->wsfj_state", EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
                                               {"the mailbox is closed without an acquire (MAIL-1)",
                                                "wsfj_mailbox_pause", "exchange", "&w->mailbox", EXPLORE_WEAKER,
                                                __ATOMIC_RELEASE},
                                               {"the waiter is sent without a release (MAIL-1)", "wsfj_mailbox_send",
                                                "cas", "&to->mailbox", EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
                                               {NULL}};

static const struct explore_mutant twice[] = {
    {"the last task leaves the claim", "wsfj_group_finish", "store", "&group->wsfj_waiter", EXPLORE_SKIP, 0},
    {"a waiter that need not wait leaves its claim", "begin_waiting", "store", "&group->wsfj_waiter", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant helpers[] = {
    {"whether tasks remain is read relaxed", "wsfj_group_done", "load", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a task ends relaxed (GROUP-1)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the waiter leaves its claim", "wsfj_group_unclaim", "store", "&group->wsfj_waiter", EXPLORE_SKIP, 0},
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
    {"the waiter registers relaxed (GROUP-3)", "begin_waiting", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_program programs[] = {
    {"two tasks, a foreign waiter", start_two, {wait_outside, finish, finish}, went_on_once, {2, 1}, {4, 2}, outside},
    {"a task, two foreign waiters",
     start_one,
     {wait_against_another, wait_against_another, finish},
     one_waited,
     {1, 1},
     {4, 2},
     claims},
    {"a task, a fiber waits", start_fiber, {awake_serve, awake_serve}, went_on_once, {1, 1}, {3, 1}, fibers},
    {"a fiber waits twice", start_fiber_again, {awake_serve, awake_serve}, went_on_once, {1, 0}, {3, 1}, twice},
    {"a waiter without a stack to spare", start_short, {awake_serve, awake_serve}, went_on_once, {1, 0}, {2, 1}, helpers},
    {"a task submits another", start_submitter, {awake_serve, awake_serve}, went_on_once, {1, 1}, {3, 1}, counts},
    {"a task submits another, two thieves",
     start_thieves,
     {awake_serve, awake_serve, awake_serve},
     went_on_once,
     {1, 0},
     {1, 1},
     early},
    {"tasks in a row (GROUP-4)", start_row, {awake_serve, awake_serve}, went_on_once, {1, 0}, {2, 1}, rows},
    {"a waiter helps another", start_inner, {awake_serve, awake_serve}, went_on_once, {1, 0}, {2, 1}, inners},
    {"a foreign thread submits and waits",
     start_foreign,
     {awake_serve, submit_and_wait},
     went_on_once,
     {1, 1},
     {3, 1},
     foreign},
    {"a foreign thread submits and ends",
     start_outer,
     {awake_serve, submit_and_finish},
     went_on_once,
     {1, 1},
     {3, 1},
     outer},
    {"a refused submit is the last", start_full, {awake_serve, try_submit}, went_on_once, {1, 1}, {3, 1}, refused},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
