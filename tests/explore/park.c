/* SPDX-License-Identifier: MIT */
/*
 * Sleep and wake: a worker publishes work and waits until another worker has taken it, while others give up searching.
 * A lost wake-up is a deadlock (PARK-1, PARK-2, PARK-4, PARK-5, PARK-7). So is waking a sleeper that has no thread in
 * the program. PARK-3 is in loop.c.
 *
 * Also catches: a waker that has claimed a sleeper and never finds it, while guests come and go.
 */
#include "crew.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "idle/allowed.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/retire.h"
#include "idle/wake.h"
#include "queue/global_queue.h"
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

static bool gone; /* the short guest has left */

WS_TASK_VOID(task)
{
    (void)wsfj_f;
    crew_take();
}

/* Worker 0 runs its stack; the others search. */
static void start_two(void)
{
    crew_start(2, 1);
    crew[0].stack = crew_stack;
}

/* The same, and a request stands. */
static void start_standing(void)
{
    start_two();
    crew_stack->deque.wsfj_limit = NULL;
    crew_stack->stands = crew_stack->answers + 1;
}

/* No stack runs, and no recheck needs a barrier. */
static void start_foreign(void)
{
    crew_start(2, 1);
}

/* Both workers search; another thread submits. */
static void start_outside(void)
{
    crew_start(2, 2);
}

static void start_three(void)
{
    crew_start(3, 2);
    crew[0].stack = crew_stack;
}

/* A task is in the queue. */
static void start_full(unsigned workers, unsigned searching)
{
    crew_start(workers, searching);
    (void)wsfj_global_queue_put(item, false);
    gone = false;
}

/* The worker sleeps. Its thread does nothing unless the program says so. */
static void lay_down(struct wsfj_worker *w)
{
    wsfj_idle_counts_fall_asleep(true);
    w->park = WSFJ_PARK_ASLEEP;
    (void)wsfj_awake_leave(w->victims.position, &w->detached.queue);
}

/* Worker 1 searches; worker 2 has run out of work and need not search. */
static void start_enough(void)
{
    crew_start(3, 1);
    crew[0].stack = crew_stack;
}

/* Worker 1 sleeps. Worker 0 is busy; guests run on its processor. */
static void start_asleep(void)
{
    crew_start(2, 1);
    crew[0].stack = crew_stack;
    lay_down(&crew[1]);
}

/* Worker 2 is surplus. */
static void start_surplus(void)
{
    crew_start(3, 2);
    wsfj_cpu_limit_change(2);
}

/* Worker 1 is surplus, and there is work. */
static void start_short(void)
{
    start_full(2, 1);
    wsfj_cpu_limit_change(1);
}

/* Worker 2 sleeps. No thread of the program serves it, so a wake-up would be lost. */
static void start_deaf(void)
{
    crew_start(3, 2);
    lay_down(&crew[2]);
}

/* Worker 2 sleeps, worker 0 is a guest's, and there is work. */
static void start_late(void)
{
    start_full(3, 2);
    crew[0].park = WSFJ_PARK_GUEST;
    lay_down(&crew[2]);
}

/* Worker 1 is surplus and a guest's; worker 0 searches, and there is work. */
static void start_recalled(void)
{
    start_full(2, 1);
    crew[1].park = WSFJ_PARK_GUEST;
    wsfj_cpu_limit_change(1);
}

/* Worker 1 is new: thread 0 starts it. */
static void start_new(void)
{
    crew_start(2, 1);
    crew[1].park = WSFJ_PARK_NEW;
    (void)wsfj_awake_leave(crew[1].victims.position, &crew[1].detached.queue);
}

/* Thread i runs on the processor of worker i. */
struct wsfj_worker *wsfj_worker_here(void)
{
    return explore_self() < wsfj_num_workers ? &crew[explore_self()] : NULL;
}

static void spawner(void)
{
    EXPLORE_FRAME(crew_stack);

    ws_spawn(task);
    crew_wait(1);
    wsfj_park_stop();
}

static void spawner_of_two(void)
{
    EXPLORE_FRAME(crew_stack);

    ws_spawn(task);
    ws_spawn(task);
    crew_wait(2);
    wsfj_park_stop();
}

/* The second task comes when the first is taken. */
static void spawner_of_one_more(void)
{
    EXPLORE_FRAME(crew_stack);

    ws_spawn(task);
    crew_wait(1);
    ws_spawn(task);
    crew_wait(2);
    wsfj_park_stop();
}

/* As in submit.c. */
static void submit(void)
{
    switch (explore_choose(3)) {
    case 0: (void)wsfj_run_queue_push(&crew[0].detached.queue, item); break;
    case 1: wsfj_run_queue_put_next(&crew[0].detached.queue, item.fn, item.arg, item.group); break;
    default: (void)wsfj_global_queue_put(item, false);
    }
    wsfj_wake_notify(&crew[0]);
}

static void submitter(void)
{
    submit();
    crew_wait(1);
    wsfj_park_stop();
}

/* Submits two tasks, which go to the global queue. */
static void submitter_of_two(void)
{
    for (int i = 0; i < 2; i++) {
        (void)wsfj_global_queue_put(item, false);
        wsfj_wake_notify(NULL);
    }
    crew_wait(2);
    wsfj_park_stop();
}

static bool take_item(struct wsfj_worker *w)
{
    struct wsfj_item it;
    struct wsfj_run_queue *queue = &crew[0].detached.queue;

    return wsfj_run_queue_steal(queue, &w->detached.queue, &it) ||
           wsfj_run_queue_steal(queue, &w->detached.queue, &it) || wsfj_global_queue_take(&it, 1, 1);
}

static bool take(struct wsfj_worker *w)
{
    struct wsfj_stolen stolen;

    return wsfj_deque_steal(crew_stack, true, NULL, &stolen) == WSFJ_STEAL_GOT || take_item(w);
}

static void searcher(void)
{
    crew_search(&crew[explore_self()], take);
}

static void sleeper(void)
{
    wsfj_park_sleep(&crew[explore_self()], true);
    crew_search(&crew[explore_self()], take);
}

/* Sleeps already. */
static void woken(void)
{
    struct wsfj_worker *w = &crew[explore_self()];

    wsfj_park_sleep_on(w);
    crew_search(w, take);
}

/* It relies on the searcher. */
static void relier(void)
{
    wsfj_park_sleep(&crew[explore_self()], false);
    crew_search(&crew[explore_self()], take);
}

/* A surplus worker, until another thread raises the limit. */
static void surplus(void)
{
    struct wsfj_worker *w = &crew[explore_self()];

    while (!wsfj_stopping()) {
        if (wsfj_allowed_to_run(w->id) && take_item(w)) {
            crew_take();
            return;
        }
        wsfj_park_sleep(w, true);
    }
}

static void supplier(void)
{
    wsfj_cpu_limit_change(2);
    crew_wait(1);
    wsfj_park_stop();
}

/* First worker 2 becomes surplus, then work appears. */
static void shortener(void)
{
    wsfj_cpu_limit_change(2);
    submit();
    crew_wait(1);
    explore_must(load_seq(&crew[2].park) == WSFJ_PARK_RETIRED, "a retired worker is woken");
    wsfj_park_stop();
}

/* Starts worker 1 asleep, as team.c does. */
static void starter(void)
{
    crew[1].num_cpus = 1;
    wsfj_park_lie_down(&crew[1], false);
    (void)wsfj_idle_counts_remove_searcher(); /* worker 0, which was counted as a searcher, has a task to submit */
    submitter();
}

/* The start fails. */
static void failing_starter(void)
{
    wsfj_park_stop();
}

static void beginner(void)
{
    struct wsfj_worker *w = &crew[explore_self()];

    if (!wsfj_park_begin(w))
        return;
    explore_must(w->num_cpus == 1, "the start is not over");
    wsfj_park_sleep_on(w);
    crew_search(w, take);
}

static void stopper(void)
{
    wsfj_park_stop();
}

/* A thread of the program takes a sleeper's slot for a moment. */
static void guest(void)
{
    struct wsfj_worker *w = wsfj_guest_enter();

    engine_pause();
    if (w)
        wsfj_guest_leave(w);
}

/* The guest of worker 1 leaves. Then the worker's own thread runs. */
static void leaver(void)
{
    wsfj_guest_leave(&crew[1]);
    wsfj_park_sleep_on(&crew[1]);
    crew_search(&crew[1], take);
}

/* Raises the limit. Submits a second task when the first one has been taken. */
static void recaller(void)
{
    wsfj_cpu_limit_change(2);
    crew_wait(1);
    (void)wsfj_global_queue_put(item, false);
    wsfj_wake_notify(NULL);
    crew_wait(2);
    wsfj_park_stop();
}

/* The same thread later serves worker 2, which sleeps meanwhile. */
static void guest_and_sleeper(void)
{
    guest();
    gone = true;
    (void)explore_wake(&gone);
    wsfj_park_sleep_on(&crew[2]);
    crew_search(&crew[2], take);
}

/* A guest with a long region. The runtime stops when no guest is inside. */
static void long_guest(void)
{
    struct wsfj_worker *w = wsfj_guest_enter();

    crew_wait(1);
    if (w)
        wsfj_guest_leave(w);
    while (!gone)
        explore_sleep(&gone);
    wsfj_park_stop();
}

/* Worker 1 has taken the task: it has ended its last search and sleep. */
static void counts_are_right(void)
{
    struct wsfj_idle_counts now = wsfj_idle_counts();

    explore_must(now.searching == 0 && now.sleeping == 0, "wrong counts");
}

static const struct explore_mutant spawns[] = {
    {"the barrier does nothing (PARK-2)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {"the recheck leaves no request (PARK-2)", "lower", "store", "&s->deque.wsfj_limit", EXPLORE_SKIP, 0},
    {"the spawn does not check for a request (PARK-1)", NULL, "load", "&(wsfj_f->wsfj_deque)->wsfj_limit",
     EXPLORE_VALUE, UINTPTR_MAX},
    {"no recheck (PARK-2)", "any_running", "load", "&wsfj_workers[wsfj_awake_lowest(first, awake)].stack", EXPLORE_SKIP,
     0},
    {"a sleeper is not counted (PARK-4)", "wsfj_idle_counts_fall_asleep", "add", "&wsfj_idle_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant chain[] = {
    {"a searcher that has found work wakes no other", "wsfj_idle_counts_remove_searcher", "add", "&wsfj_idle_state",
     EXPLORE_SKIP, 0},
    {"a sleeper is counted in two steps (PARK-4)", "wsfj_idle_counts_fall_asleep", "add", "&wsfj_idle_state",
     EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant stands[] = {
    {"a request stands that was never made (PARK-10)", "wsfj_deque_request", "load", "&s->stands", EXPLORE_VALUE, 1},
    {"the barrier does nothing (PARK-10)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant answered[] = {
    {"an answer is not counted (PARK-10)", "wsfj_deque_answer", "store", "&own->answers", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant late[] = {{"an answer is counted with a release (PARK-10)", "wsfj_deque_answer",
                                              "store", "&own->answers", EXPLORE_WEAKER, __ATOMIC_RELEASE},
                                             {"the answers are read relaxed (PARK-10)", "wsfj_deque_request", "load",
                                              "&s->answers", EXPLORE_WEAKER, __ATOMIC_RELAXED},
                                             {NULL}};

/* The searcher finds the first task, and sees no sleeper to replace it by. */
static const struct explore_mutant enough[] = {{"a worker that did not search does not recheck (PARK-6)",
                                                "wsfj_idle_counts", "load", "&wsfj_idle_state", EXPLORE_VALUE, 1},
                                               {NULL}};

static const struct explore_mutant submits[] = {
    {"the tail is written with a release, by an append (PARK-5)", "publish", "store", "&queue->tail", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the tail is written with a release, by a submit (PARK-5)", "wsfj_run_queue_put_next", "store", "&queue->tail",
     EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the global queue's count is written with a release (PARK-5)", "append_locked", "store", "&wsfj_global_items",
     EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the recheck is relaxed (PARK-5)", "wsfj_run_queue_pending", "load", "&queue->tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the submitter reads the counts relaxed (PARK-5)", "wsfj_idle_counts_claim_searcher", "load", "&wsfj_idle_state",
     EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a waker does not count the sleeper out", "wsfj_idle_counts_take_sleeper", "add", "&wsfj_idle_state", EXPLORE_SKIP,
     0},
    {NULL}};

static const struct explore_mutant pairs[] = {
    {"the queue shows nothing to a worker that has found the only work (PARK-9)", "wsfj_global_queue_has_items", "load",
     "&wsfj_global_items", EXPLORE_VALUE, 0},
    {NULL}};

static const struct explore_mutant recalls[] = {
    {"RETIRED is written relaxed (PARK-7)", "adjust", "cas", "&w->park", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the limit is written with a release (PARK-7)", "wsfj_cpu_limit_change", "store", "&wsfj_allowed_workers",
     EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the limit is read relaxed (PARK-7)", "wsfj_allowed_to_run", "load", "&wsfj_allowed_workers", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the park word is read relaxed (PARK-7)", "wsfj_retire_is_due", "load", "park", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a recalled worker is not counted (PARK-7)", "wsfj_idle_counts_fall_asleep", "add", "&wsfj_idle_state",
     EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant retires[] = {{"the recheck is relaxed (PARK-7)", "wsfj_run_queue_pending", "load",
                                                 "&queue->tail", EXPLORE_WEAKER, __ATOMIC_RELAXED},
                                                {NULL}};

static const struct explore_mutant falls[] = {
    {"a sleeper does not retire (PARK-7)", "wsfj_allowed_to_run", "load", "&wsfj_allowed_workers", EXPLORE_VALUE, 3},
    {NULL}};

static const struct explore_mutant guests[] = {
    {"a waker takes a sleeper in two steps (PARK-4)", "take_sleeper", "cas", "&w->park", EXPLORE_SPLIT, 0},
    {"a guest takes a sleeper in two steps (PARK-4)", "take_asleep", "cas", "&w->park", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant two_guests[] = {{"a waker that finds no sleeper stays counted (PARK-4)",
                                                    "wsfj_idle_counts_remove_searcher", "add", "&wsfj_idle_state",
                                                    EXPLORE_SKIP, 0},
                                                   {NULL}};

static const struct explore_mutant begins[] = {
    {"a worker that begins asleep is not ASLEEP (PARK-4)", "wsfj_park_fall_asleep", "store", "park", EXPLORE_SKIP, 0},
    {"a worker that begins asleep is not counted (PARK-4)", "wsfj_idle_counts_fall_asleep", "add", "&wsfj_idle_state",
     EXPLORE_SKIP, 0},
    {"the new thread reads its word relaxed", "wsfj_park_begin", "load", "&self->park", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a waker does not wake the new thread", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant stops[] = {
    {"the stop is written with a release", "wsfj_stopping_set", "store", "&stopping", EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the stop is read relaxed", "wsfj_stopping", "load", "&stopping", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a worker that sees the stop sleeps on", "wsfj_park_sleep", "store", "&self->park", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a spawn and the last searcher", start_two, {spawner, sleeper}, NULL, {2, 1}, {4, 2}, spawns},
    {"two spawns and two searchers", start_three, {spawner_of_two, searcher, searcher}, NULL, {1, 0}, {2, 1}, chain},
    {"a spawn, and a request that stands", start_enough, {spawner, searcher, relier}, NULL, {1, 0}, {2, 1}, stands},
    {"a request that stands is answered",
     start_enough,
     {spawner_of_one_more, sleeper, relier},
     NULL,
     {1, 0},
     {2, 1},
     answered},
    {"an answer and the last searcher", start_standing, {spawner, sleeper}, NULL, {2, 2}, {3, 2}, late},
    {"enough workers search", start_enough, {spawner_of_one_more, searcher, relier}, NULL, {1, 0}, {2, 0}, enough},
    {"a submit and the last searcher", start_foreign, {submitter, searcher}, counts_are_right, {2, 1}, {3, 2}, submits},
    {"two submits, and a worker that sleeps",
     start_outside,
     {sleeper, searcher, submitter_of_two},
     NULL,
     {1, 0},
     {2, 1},
     pairs},
    {"retiring and being recalled", start_short, {supplier, surplus}, NULL, {2, 1}, {4, 2}, recalls},
    {"a submit, the last searcher retires", start_surplus, {submitter, sleeper, surplus}, NULL, {1, 1}, {2, 1}, retires},
    {"a surplus sleeper is not woken", start_deaf, {shortener, searcher}, NULL, {2, 1}, {3, 1}, falls},
    {"a guest, a sleeper and a submit", start_asleep, {guest, woken, submitter}, counts_are_right, {1, 0}, {3, 0}, guests},
    {"a task, two sleepers and two guests",
     start_late,
     {guest_and_sleeper, sleeper, long_guest},
     NULL,
     {2, 0},
     {3, 0},
     two_guests},
    {"a guest leaves, and its worker is recalled",
     start_recalled,
     {leaver, searcher, recaller},
     NULL,
     {2, 0},
     {3, 0},
     NULL},
    {"a worker that begins asleep, and a submit", start_new, {starter, beginner}, counts_are_right, {2, 2}, {4, 2}, begins},
    {"a start that fails", start_new, {failing_starter, beginner}, NULL, {2, 2}, {4, 2}, NULL},
    {"a stop and two workers that fall asleep", start_three, {stopper, sleeper, sleeper}, NULL, {2, 1}, {3, 1}, stops},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
