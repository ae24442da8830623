/* SPDX-License-Identifier: MIT */
/*
 * Submits under the scheduler's real loop, with the real ws_submit(): a worker that falls asleep learns of the task
 * (PARK-5), wherever it comes from; threads that wait for room go on; ws_fini() stops no runtime that has users or
 * tasks. A lost wake-up is a deadlock.
 */
#include "crew.h"
#include "pools.h"

#include "base/hooks.h"
#include "base/thread.h"
#include "blocking/spare.h"
#include "idle/park.h"
#include "idle/queued.h"
#include "idle/waiting.h"
#include "queue/global_queue.h"
#include "sched/load.h"
#include "sched/serve.h"
#include "sched/team.h"
#include "task/item.h"
#include "worker/items.h"
#include "worker/use.h"

#include <errno.h>
#include <string.h>

static unsigned ran, wanted;
static bool stopped, polled;
static struct wsfj_thread threads[CREW];

/* A thread inside a call may use the runtime. */
bool wsfj_team_has_threads(void)
{
    explore_must(!stopped, "a thread uses a runtime that is stopped");
    return true;
}

/* The runtime is being stopped, or is down: nothing starts it again. */
static int refuse(void)
{
    return EBUSY;
}

static void begin_thread(void)
{
}

const struct wsfj_hooks wsfj_hooks = {.enter = refuse, .thread_begins = begin_thread};

/* The last task ends the workers. */
static void task(void *arg)
{
    (void)arg;
    crew_take();
    if (++ran == wanted)
        wsfj_park_stop();
}

/* Submits a task and runs until another worker has taken it. */
static void submit_and_run_on(void *arg)
{
    (void)arg;
    explore_must(ws_submit(task, NULL) == 0, "a submit fails");
    crew_wait(1);
}

static void submit_two_and_run_on(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < 2; i++)
        explore_must(ws_submit(task, NULL) == 0, "a submit fails");
    crew_wait(2);
}

/* The queues have no room: lets other tasks run meanwhile. */
static void submit_to_full(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < 2; i++)
        explore_must(ws_submit(task, NULL) == 0, "a submit fails");
}

/* A task that submits another. */
static void submit_and_end(void *arg)
{
    (void)arg;
    explore_must(ws_submit(task, NULL) == 0, "a submit fails");
}

static void push(unsigned worker, ws_function *fn)
{
    (void)wsfj_run_queue_push(&crew[worker].detached.queue, (struct wsfj_item){fn, NULL, NULL});
    crew[worker].detached.submitted++;
}

static void start(unsigned workers, unsigned searching, unsigned tasks)
{
    crew_start(workers, searching);
    explore_thread_local(&wsfj_tls);
    explore_thread_local(&wsfj_thread_is);
    wsfj_load_start();
    wsfj_items_start();
    wsfj_use_forget();
    wsfj_use_become(WSFJ_UP);
    ran = 0;
    wanted = tasks;
    stopped = polled = false;
    pools_start();
    for (unsigned i = 0; i < 4; i++)
        pools_give(workers > 1 ? i / 2 : 0, i);
    explore_shared(&ran, sizeof ran);
}

/* The worker searches. */
static void start_foreign(void)
{
    start(1, 1, 1);
}

/* Room for one task. */
static void start_small(void)
{
    start(1, 1, 2);
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(1), "no memory");
}

/* Worker 0 has a task that submits, worker 1 searches. */
static void start_inside(void)
{
    start(2, 2, 1);
    push(0, submit_and_run_on);
}

static void start_inside_two(void)
{
    start(2, 2, 2);
    push(0, submit_two_and_run_on);
}

/* The run queue and the global queue are full. */
static void start_full(void)
{
    start(1, 1, WSFJ_RUN_QUEUE_SIZE + 3);
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(1), "no memory");
    (void)wsfj_global_queue_put((struct wsfj_item){submit_to_full, NULL, NULL}, false);
    for (unsigned i = 0; i < WSFJ_RUN_QUEUE_SIZE; i++)
        push(0, i ? task : submit_to_full);
}

/* Worker 0 has a task that submits another; a worker takes that. */
static void start_tally(void)
{
    start(2, 2, 1);
    push(0, submit_and_end);
    crew[0].dispatch.count = explore_choose(2); /* 1: the other one may follow on the same stack */
}

static void start_use(void)
{
    start(1, 1, 1);
    polled = explore_choose(2);
}

static void serve(void)
{
    unsigned i = explore_self();

    (void)wsfj_serve(&crew[i], &threads[i]);
}

static void submit_outside(void)
{
    wsfj_thread_is = WSFJ_THREAD_CALLER;
    explore_must(ws_submit(task, NULL) == 0, "a submit fails");
}

static void submit_two(void)
{
    submit_outside();
    submit_outside();
}

/* As ws_fini(): stops the runtime, if it has no users and no tasks. */
static void fini(void)
{
    wsfj_use_become(WSFJ_CLOSING);
    if (wsfj_use_any() || wsfj_items_busy()) {
        wsfj_use_become(WSFJ_UP);
        return;
    }
    stopped = true;
    wsfj_use_become(WSFJ_DOWN);
    explore_must(ran == wanted || !wsfj_waiting_items(), "the runtime is stopped, and a task waits");
}

/* The same while only workers submit. */
static void fini_of_workers(void)
{
    fini();
    explore_must(!stopped || ran == wanted, "the runtime is stopped before its tasks have ended");
    stopped = false;
}

/* May come too late. */
static void submit_if_up(void)
{
    int error;

    wsfj_thread_is = polled ? WSFJ_THREAD_OURS : WSFJ_THREAD_CALLER;
    error = ws_submit(task, NULL);
    explore_must(error == 0 || (polled ? error == EAGAIN || error == EDEADLK : error == EBUSY), "an error that is none");
}

static void all_ran(void)
{
    explore_must(ran == wanted, "a task is lost");
}

static const struct explore_mutant outside[] = {
    {"the global queue's count is written with a release (PARK-5)", "append_locked", "store", "&wsfj_global_items",
     EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the recheck of the global queue is an acquire (PARK-5)", "wsfj_global_queue_has_items", "load",
     "&wsfj_global_items", EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"a sleeper is counted with less than one order of all (PARK-4)", "wsfj_idle_counts_fall_asleep", "add",
     "&wsfj_idle_state", EXPLORE_WEAKER, __ATOMIC_ACQ_REL},
    {"the submitter's look at the counts is an acquire (PARK-5)", "wsfj_idle_counts_claim_searcher", "load",
     "&wsfj_idle_state", EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"a task is counted in the queue after the wake-up (PARK-5)", "append_locked", "store", "&wsfj_global_items",
     EXPLORE_LATE, 3},
    {"a waker wakes nobody", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant room[] = {
    {"waiting threads are not told of room", "wake_producers_locked", "broadcast", "&room", EXPLORE_SKIP, 0},
    {"a thread that waits releases the lock first", "wsfj_global_queue_put", "wait", "&room", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant inside[] = {
    {"the tail is written with a release (PARK-5)", "wsfj_run_queue_put_next", "store", "&queue->tail", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the submitter relies on a searcher that is none (PARK-5)", "wsfj_queued_must_tell", "load", "&wsfj_idle_state",
     EXPLORE_VALUE, 1},
    {"the tail is not raised", "wsfj_run_queue_put_next", "store", "&queue->tail", EXPLORE_SKIP, 0},
    {"a waker wakes nobody", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant inside_two[] = {
    {"a thief's claim is none", "claim", "cas", "&queue->head", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant full[] = {
    {"a fiber that yields is not queued", "append_fiber_locked", "store", "&wsfj_global_fibers", EXPLORE_SKIP, 0},
    {"the owner does not see that its queue is full", "wsfj_run_queue_room", "load", "&queue->head", EXPLORE_VALUE,
     WSFJ_RUN_QUEUE_SIZE *WSFJ_RUN_QUEUE_ONE},
    {NULL}};

static const struct explore_mutant tally[] = {
    {"a finished task is counted relaxed", "wsfj_items_finished", "store", "&worker->detached.finished", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"finished tasks are read relaxed", "wsfj_items_ended", "load", "&worker->detached.finished", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a task is not counted", "put", "store", "&w->detached.submitted", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant users[] = {
    {"a user is counted with less than one order of all", "wsfj_use_add", "add", "&wsfj_users", EXPLORE_WEAKER,
     __ATOMIC_ACQ_REL},
    {"a user's look at the state is an acquire", "wsfj_use_try_enter", "load", "&wsfj_use_now", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"CLOSING is written with a release", "wsfj_use_become", "store", "&wsfj_use_now", EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the users are read relaxed", "wsfj_use_any", "load", "&wsfj_users", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a user leaves without a release", "wsfj_use_leave", "sub", "&wsfj_users", EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"a user is counted after its look", "wsfj_use_add", "add", "&wsfj_users", EXPLORE_LATE, 1},
    {"a foreign task is not counted", "wsfj_items_foreign", "add", "&foreign", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a foreign submit", start_foreign, {serve, submit_outside}, all_ran, {2, 1}, {3, 1}, outside},
    {"foreign submits without room", start_small, {serve, submit_two}, all_ran, {1, 1}, {3, 1}, room},
    {"a task submits, and runs on", start_inside, {serve, serve}, all_ran, {1, 1}, {2, 1}, inside},
    {"a task submits two, and runs on", start_inside_two, {serve, serve}, all_ran, {1, 0}, {2, 1}, inside_two},
    {"a task submits without room", start_full, {serve}, all_ran, {0, 0}, {0, 0}, full},
    {"a task submits another, and the stop", start_tally, {serve, serve, fini_of_workers}, all_ran, {1, 0}, {2, 0}, tally},
    {"a foreign submit, and the stop", start_use, {fini, submit_if_up}, NULL, {3, 2}, {4, 4}, users},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
