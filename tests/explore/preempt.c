/* SPDX-License-Identifier: MIT */
/*
 * The preempter (PREEMPT-2): tasks come, a worker begins work that ends only after all of them have run, and the thread
 * that watches busy workers begins to watch and rests.
 */
#include "busy.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "config/settings.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/preempt.h"
#include "idle/queued.h"
#include "blocking/spare.h"
#include "idle/wake.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "queue/root.h"
#include "sched/dispatch.h"
#include "sched/fiber.h"
#include "sched/load.h"
#include "sched/serve.h"
#include "sched/steal.h"
#include "worker/awake.h"
#include "worker/stopping.h"
#include "worker/worker.h"

static void function(void *arg)
{
    (void)arg;
}

static const struct wsfj_item item = {function, NULL, NULL};

static void start_last_searcher(void)
{
    busy_start(1, 1, 3);
    if (explore_choose(2))
        wsfj_queued(NULL); /* earlier tasks have been queued */
}

/* Worker 1 runs already. */
static void start_busy(void)
{
    busy_start(0, 2, 3);
    wsfj_stack_lives(busy_stack, WSFJ_LIFE_RUNS);
    busy[1].stack = busy_stack;
}

/* The same, and the preempter watches already. */
static void start_watched(void)
{
    start_busy();
    busy_start_preempter();
}

static void start_searching(void)
{
    busy_start(1, 1, 3);
    wsfj_stack_lives(busy_stack, WSFJ_LIFE_RUNS);
    busy[0].stack = busy_stack;
}

static void start_surplus(void)
{
    start_searching();
    wsfj_cpu_limit_change(1);
}

/* Worker 1 sleeps, worker 0 works. */
static void start_asleep(void)
{
    busy_start(0, 1, 3);
    busy[1].park = WSFJ_PARK_ASLEEP;
    (void)wsfj_awake_leave(busy[1].victims.position, &busy[1].detached.queue);
    wsfj_idle_counts_fall_asleep(false);
}

/* Worker 1 will take two of three tasks at once, and run the first. */
static void start_with_tasks(void)
{
    busy_start(1, 3, 3);
    for (unsigned i = 0; i < 3; i++)
        (void)wsfj_run_queue_push(&busy[0].detached.queue, item);
    busy_start_preempter();
}

static void start_polled(void)
{
    busy_start(1, 0, 2);
    for (unsigned i = 0; i < BUSY; i++)
        (void)wsfj_awake_leave(busy[i].victims.position, &busy[i].detached.queue);
    wsfj_settings.poll = (int (*)(void *))(uintptr_t)1; /* wsfj_source_poll() is ours */
}

static struct wsfj_stack *waiter; /* the end of the next task resumes it */
static struct wsfj_thread thread;

struct wsfj_stack *wsfj_group_finish(ws_group *group, unsigned tasks)
{
    struct wsfj_stack *resume = waiter;

    (void)group;
    (void)tasks;
    waiter = NULL;
    return resume;
}

/* Worker 1 is surplus at the end of its task. */
static void become_surplus(void *arg)
{
    (void)arg;
    wsfj_cpu_limit_change(1);
}

static void start_resuming(void)
{
    start_searching();
    wsfj_load_start();
    wsfj_context_make(&busy_fresh->context, busy_fresh->memory.low, busy_fresh->memory.size, wsfj_fiber_main,
                      busy_fresh);
    waiter = explore_stack(2, WSFJ_MODE_NORMAL);
    waiter->worker = &busy[1];
    (void)wsfj_global_queue_put((struct wsfj_item){become_surplus, NULL, NULL}, false);
}

static void submit(void)
{
    switch (explore_choose(3)) {
    case 0: (void)wsfj_global_queue_put(item, false); break;
    case 1: (void)wsfj_run_queue_push(&busy[0].detached.queue, item); break;
    default:
        wsfj_run_queue_put_next(&busy[0].detached.queue, item.fn, item.arg, item.group);
        if (!wsfj_queued_must_tell())
            return;
    }
    wsfj_queued(NULL);
}

/* A root, or a fiber that has yielded. */
static void queue_root_or_fiber(void)
{
    if (explore_choose(2)) {
        busy_roots = 1;
        store_seq(&wsfj_roots, 1);
    } else {
        wsfj_global_queue_put_fiber(explore_stack(2, WSFJ_MODE_NORMAL));
    }
    wsfj_queued(NULL);
}

static void queue_one(void)
{
    engine_pause(); /* the preempter begins */
    queue_root_or_fiber();
    busy_wait(1);
    busy_end();
}

/* Works until it is asked to give way, and takes the root or the fiber. */
static void work_until_asked(struct wsfj_worker *w)
{
    wsfj_stack_lives(busy_stack, WSFJ_LIFE_RUNS);
    store_seq(&w->stack, busy_stack);
    while (!wsfj_stack_is_asked(busy_stack))
        engine_pause();
    while (!busy_roots && !wsfj_global_queue_take_fiber(NULL))
        engine_pause();
    busy_roots = 0;
    busy_has_run();
}

static void submit_one(void)
{
    submit();
    busy_wait(1);
    busy_end();
}

static void submit_one_after_the_other(void)
{
    submit();
    busy_wait(1);
    submit();
    busy_wait(2);
    busy_end();
}

static void worker_at_work(void)
{
    busy_work(&busy[1]);
}

/* Searches the queues once. Whatever it finds then is no task. */
static void last_searcher(void)
{
    struct wsfj_item it;

    if (wsfj_dispatch_item(&busy[1], &it))
        busy_has_run();
    wsfj_wake_found(&busy[1]);
    busy_work(&busy[1]);
}

/* The waker has counted it as a searcher. Other work than the task is nearer. */
static void woken(void)
{
    wsfj_park_sleep_on(&busy[1]);
    wsfj_wake_found(&busy[1]);
    busy_work(&busy[1]);
}

/* A guest takes the slot of worker 1 unless the waker is faster. */
static void guest_or_woken(void)
{
    struct wsfj_worker *w = wsfj_guest_enter();

    if (w)
        busy_work(w);
    else
        woken();
}

/* Worker 1 no longer has a processor; worker 0 works. */
static void surplus(void)
{
    while (!wsfj_stopping())
        wsfj_park_sleep(&busy[1], true);
}

static void submit_and_work(void)
{
    (void)wsfj_global_queue_put(item, false);
    wsfj_queued(NULL);
    busy_work(&busy[0]);
    wsfj_park_stop();
    busy_end();
}

/* Worker 1 may be about to sleep, and not be counted as asleep yet. */
static void retire_it_and_submit(void)
{
    wsfj_cpu_limit_change(1);
    submit_and_work();
}

static void taker(void)
{
    work_until_asked(&busy[1]);
}

static void take_the_fiber(void)
{
    work_until_asked(&busy[0]);
    wsfj_park_stop();
    busy_end();
}

static void serve(void)
{
    (void)wsfj_serve(&busy[1], &thread);
}

static void take_own(void)
{
    struct wsfj_item it;

    if (wsfj_run_queue_pop(&busy[0].detached.queue, &it))
        busy_has_run();
    busy_wait(3);
    busy_end();
}

static void thief(void)
{
    if (wsfj_steal(&busy[1], NULL))
        busy_has_run();
    wsfj_wake_found(&busy[1]);
    busy_work(&busy[1]);
}

/* A worker is woken twice, begins work, and waits each time until ws_config.poll has been called. */
static void run_and_idle(void)
{
    for (unsigned i = 0; i < 2; i++) {
        wsfj_awake_enter(busy[0].victims.position);
        wsfj_wake_found(&busy[0]);
        store_seq(&busy[0].stack, busy_stack);
        wsfj_preempt_runs();
        busy_wait_for_poll();
        store_relaxed(&busy[0].stack, NULL);
        (void)wsfj_awake_leave(busy[0].victims.position, &busy[0].detached.queue);
        wsfj_idle_counts_add_searcher();
    }
    busy_end();
}

#define SEQ_CST_TO(order) EXPLORE_WEAKER, __ATOMIC_##order

static const struct explore_mutant searches[] = {
    {"READY is not written after a task (PREEMPT-2)", "wsfj_preempt_get_ready", "cas", "&wsfj_preempt_state",
     EXPLORE_SKIP, 0},
    {"a worker that begins work does not check (PREEMPT-2)", "wsfj_preempt_none_idle", "load", "&wsfj_preempt_state",
     EXPLORE_VALUE, 0},
    {"a worker that begins work checks relaxed (PREEMPT-2)", "wsfj_preempt_none_idle", "load", "&wsfj_preempt_state",
     SEQ_CST_TO(RELAXED)},
    {"READY is written with less than one order of all (PREEMPT-2)", "wsfj_preempt_get_ready", "cas",
     "&wsfj_preempt_state", SEQ_CST_TO(ACQ_REL)},
    {"the number of tasks is written with a release (PREEMPT-2)", "append_locked", "store", "&wsfj_global_items",
     SEQ_CST_TO(RELEASE)},
    {NULL}};

static const struct explore_mutant wakes[] = {
    {"a waker counts the sleeper out after it has woken it (PARK-9)", "wsfj_idle_counts_take_sleeper", "add",
     "&wsfj_idle_state", EXPLORE_LATE, 2},
    {"a waker does not count the sleeper out", "wsfj_idle_counts_take_sleeper", "add", "&wsfj_idle_state", EXPLORE_SKIP,
     0},
    {NULL}};

static const struct explore_mutant rests[] = {
    {"READY is not written (PREEMPT-2)", "wsfj_preempt_get_ready", "cas", "&wsfj_preempt_state", EXPLORE_SKIP, 0},
    {"the state is read relaxed (PREEMPT-2)", "wsfj_preempt_get_ready", "load", "&wsfj_preempt_state",
     SEQ_CST_TO(RELAXED)},
    {"the submitter reads the state relaxed (PREEMPT-2)", "wsfj_queued_must_tell", "load", "&wsfj_preempt_state",
     SEQ_CST_TO(RELAXED)},
    {"the submitter takes QUIET for INSPECTS (PREEMPT-2)", "wsfj_queued_must_tell", "load", "&wsfj_preempt_state",
     EXPLORE_VALUE, WSFJ_PREEMPT_INSPECTS},
    {"QUIET is written relaxed (PREEMPT-2)", "must_stay_ready", "cas", "&wsfj_preempt_state", SEQ_CST_TO(RELAXED)},
    {"the queue is read relaxed (PREEMPT-2)", "wsfj_global_queue_has_items", "load", "&wsfj_global_items",
     SEQ_CST_TO(RELAXED)},
    {"the thread is not woken (PREEMPT-2)", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {"no worker gets a request (PREEMPT-1)", "ask", "store", "&s->preempt", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant other_rests[] = {
    {"the roots are read relaxed (PREEMPT-2)", "wsfj_root_pending", "load", "&wsfj_roots", SEQ_CST_TO(RELAXED)},
    {"the fibers are read relaxed (PREEMPT-2)", "wsfj_global_queue_has_fibers", "load", "&wsfj_global_fibers",
     SEQ_CST_TO(RELAXED)},
    {NULL}};

static const struct explore_mutant retires[] = {{"a worker that retires does not check (PREEMPT-2)",
                                                 "wsfj_preempt_none_idle", "load", "&wsfj_preempt_state", EXPLORE_VALUE,
                                                 0},
                                                {NULL}};

static const struct explore_mutant moves[] = {
    {"READY is not written (PREEMPT-2)", "wsfj_preempt_get_ready", "cas", "&wsfj_preempt_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant polls[] = {
    {"the running stacks are read relaxed (PREEMPT-2)", "any_running", "load",
     "&wsfj_workers[wsfj_awake_lowest(first, awake)].stack", SEQ_CST_TO(RELAXED)},
    {"the state is read relaxed (PREEMPT-2)", "wsfj_preempt_get_ready", "load", "&wsfj_preempt_state",
     SEQ_CST_TO(RELAXED)},
    {"the worker enters the awake set with less than one order of all (PREEMPT-2)", "wsfj_awake_enter", "or",
     "wsfj_awake_word(position)", SEQ_CST_TO(ACQ_REL)},
    {"the awake set is read with an acquire (PREEMPT-2)", "wsfj_awake_members", "load", "wsfj_awake_word(first)",
     SEQ_CST_TO(ACQUIRE)},
    {NULL}};

static const struct explore_program programs[] = {{"a task, and the last searcher begins work",
                                                   start_last_searcher,
                                                   {submit_one, last_searcher, busy_preempter},
                                                   NULL,
                                                   {1, 1},
                                                   {2, 2},
                                                   searches},
                                                  {"a task wakes the last sleeper, which begins work",
                                                   start_asleep,
                                                   {submit_one, woken, busy_preempter},
                                                   NULL,
                                                   {1, 1},
                                                   {2, 2},
                                                   wakes},
                                                  {"a guest takes the last sleeper's slot before its waker",
                                                   start_asleep,
                                                   {submit_one, guest_or_woken, busy_preempter},
                                                   NULL,
                                                   {1, 0},
                                                   {2, 1},
                                                   retires},
                                                  {"tasks come and the thread rests",
                                                   start_busy,
                                                   {submit_one_after_the_other, worker_at_work, busy_preempter},
                                                   NULL,
                                                   {1, 1},
                                                   {2, 1},
                                                   rests},
                                                  {"a task, and the last searcher retires",
                                                   start_surplus,
                                                   {submit_and_work, surplus, busy_preempter},
                                                   NULL,
                                                   {1, 1},
                                                   {2, 1},
                                                   retires},
                                                  {"the last searcher is retired as it falls asleep, then a task",
                                                   start_searching,
                                                   {retire_it_and_submit, surplus, busy_preempter},
                                                   NULL,
                                                   {1, 1},
                                                   {2, 1},
                                                   retires},
                                                  {"tasks on their way between two queues",
                                                   start_with_tasks,
                                                   {take_own, thief, busy_preempter},
                                                   NULL,
                                                   {2, 0},
                                                   {2, 1},
                                                   moves},
                                                  {"ws_config.poll is called while a stack runs",
                                                   start_polled,
                                                   {run_and_idle, busy_preempter},
                                                   NULL,
                                                   {2, 2},
                                                   {3, 2},
                                                   polls},
                                                  {"a root or a fiber comes and the thread rests",
                                                   start_watched,
                                                   {queue_one, taker, busy_preempter},
                                                   NULL,
                                                   {1, 0},
                                                   {2, 1},
                                                   other_rests},
                                                  {"a surplus worker could resume a fiber",
                                                   start_resuming,
                                                   {take_the_fiber, serve, busy_preempter},
                                                   NULL,
                                                   {1, 0},
                                                   {2, 1},
                                                   moves},
                                                  {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
