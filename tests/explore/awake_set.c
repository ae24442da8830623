/* SPDX-License-Identifier: MIT */
/*
 * The awake set (PARK-11): a worker that falls asleep as the last searcher visits only the workers in the set, while a guest
 * takes another worker or gives it up, or a waker has woken it. Work that the sleeper does not see is a deadlock. Neighbour:
 * park.c, where most workers are in the set from the beginning.
 */
#include "crew.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/wake.h"
#include "task/deque.h"
#include "worker/awake.h"
#include "worker/stopping.h"
#include "worker/worker.h"
#include "worker/workers.h"

static void function(void *arg)
{
    (void)arg;
}

static const struct wsfj_item item = {function, NULL, NULL};

WS_TASK_VOID(task)
{
    (void)wsfj_f;
}

/* The guests run on the processor of worker 0. */
struct wsfj_worker *wsfj_worker_here(void)
{
    return &crew[0];
}

/* Worker 0 sleeps, worker 1 searches. */
static void start_asleep(void)
{
    crew_start(2, 2);
    (void)wsfj_awake_leave(crew[0].victims.position, &crew[0].detached.queue);
    crew[0].park = WSFJ_PARK_ASLEEP;
    wsfj_idle_counts_fall_asleep(true);
}

/* The same, and a suspended stack has a child. */
static void start_suspended(void)
{
    start_asleep();

    EXPLORE_FRAME(crew_stack);

    ws_spawn(task);
}

/* A guest has worker 0, worker 1 searches. */
static void start_guest(void)
{
    crew_start(2, 1);
    crew[0].park = WSFJ_PARK_GUEST;
}

/* A waker has just made worker 0 a searcher; its thread does not run yet. Worker 1 searches. */
static void start_woken(void)
{
    crew_start(2, 2);
    (void)wsfj_awake_leave(crew[0].victims.position, &crew[0].detached.queue);
}

static void submit(void)
{
    if (explore_choose(2))
        (void)wsfj_run_queue_push(&crew[0].detached.queue, item);
    else
        wsfj_run_queue_put_next(&crew[0].detached.queue, item.fn, item.arg, item.group);
}

static void wait_and_stop(void)
{
    crew_wait(1);
    wsfj_park_stop();
}

static void take_slot(void)
{
    explore_must(wsfj_guest_enter() == &crew[0], "the guest does not get the sleeper's slot");
}

static void submitter(void)
{
    take_slot();
    submit();
    wsfj_wake_notify(&crew[0]);
    wait_and_stop();
}

/* The task of its region comes back with its child, and runs for long. */
static void resumer(void)
{
    take_slot();
    store_seq(&crew[0].stack, crew_stack);
    wsfj_wake_carry_over(crew_stack);
    wait_and_stop();
}

/* Leaves a task behind. */
static void leaver(void)
{
    submit();
    wsfj_wake_notify(&crew[0]);
    wsfj_guest_leave(&crew[0]);
    wait_and_stop();
}

static void first_guest(void)
{
    wsfj_guest_leave(&crew[0]);
}

static void second_guest(void)
{
    while (load_seq(&crew[0].park) != WSFJ_PARK_ASLEEP)
        engine_pause();
    submitter();
}

/* Worker 0's thread: it has taken several tasks from elsewhere, and one is left. */
static void woken(void)
{
    wsfj_park_sleep_on(&crew[0]);
    submit();
    wsfj_wake_found(&crew[0]);
    wait_and_stop();
}

static bool take(struct wsfj_worker *w)
{
    struct wsfj_stack *s = load_acquire(&crew[0].stack);
    struct wsfj_run_queue *queue = &crew[0].detached.queue;
    struct wsfj_stolen stolen;
    struct wsfj_item it;

    return (s && wsfj_deque_steal(s, true, NULL, &stolen) == WSFJ_STEAL_GOT) ||
           wsfj_run_queue_steal(queue, &w->detached.queue, &it) || wsfj_run_queue_steal(queue, &w->detached.queue, &it);
}

/* Worker 1 searches and sleeps until it has taken the work. */
static void searcher(void)
{
    crew_search(&crew[1], take);
}

/* Has searched in vain. */
static void sleeper(void)
{
    wsfj_park_sleep(&crew[1], true);
    searcher();
}

#define ENTERS "wsfj_awake_enter", "or", "wsfj_awake_word(position)"
#define VISITS "wsfj_awake_members", "load", "wsfj_awake_word(first)"

/* Weaker orders are in preempt.c: here the counts order what a guest does. */
static const struct explore_mutant enters[] = {
    {"a guest does not enter the set (PARK-11)", ENTERS, EXPLORE_SKIP, 0},
    {"a guest enters the set after it has read the counts (PARK-11)", ENTERS, EXPLORE_LATE, 7},
    {NULL}};

static const struct explore_mutant leaves[] = {
    {"a worker with a task is not in the set (PARK-11)", VISITS, EXPLORE_VALUE, 1},
    {NULL}};

static const struct explore_mutant follows[] = {{"a guest leaves the set after its slot is free (PARK-11)",
                                                 "wsfj_awake_leave", "and", "wsfj_awake_word(position)", EXPLORE_LATE,
                                                 2},
                                                {"a guest leaves the set in two steps (PARK-11)", "wsfj_awake_leave",
                                                 "and", "wsfj_awake_word(position)", EXPLORE_SPLIT, 0},
                                                {NULL}};

static const struct explore_mutant wakes[] = {
    {"a woken worker does not enter the set (PARK-11)", ENTERS, EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a guest submits, and the last searcher", start_asleep, {submitter, searcher}, NULL, {2, 1}, {3, 2}, enters},
    {"a stack with a child, and the last searcher", start_suspended, {resumer, searcher}, NULL, {2, 1}, {3, 2}, enters},
    {"a guest leaves a task, and the last searcher", start_guest, {leaver, searcher}, NULL, {2, 1}, {3, 2}, leaves},
    {"a guest after another one, and the last searcher",
     start_guest,
     {first_guest, sleeper, second_guest},
     NULL,
     {1, 0},
     {2, 1},
     follows},
    {"a woken worker, and the last searcher", start_woken, {woken, searcher}, NULL, {2, 1}, {3, 2}, wakes},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
