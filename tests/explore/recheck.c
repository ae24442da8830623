/* SPDX-License-Identifier: MIT */
/*
 * The second look of a worker that falls asleep, each source of work alone, and what stands in for it where membarrier is
 * refused (PARK-2, PARK-5, PARK-6). A lost wake-up is a deadlock. Run queues, the global queue and deques with membarrier
 * are in park.c.
 */
#include "crew.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "base/fence.h"
#include "idle/cpu_limit.h"
#include "idle/park.h"
#include "idle/phase.h"
#include "idle/source.h"
#include "idle/queued.h"
#include "idle/wake.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "task/deque.h"
#include "worker/awake.h"
#include "worker/stopping.h"
#include "worker/worker.h"
#include "worker/workers.h"

static struct wsfj_region regions[2];
static bool fibers; /* fibers wait, not roots */
static bool source; /* the program's own source has a task */
static bool phase;  /* workers must not sleep */

WS_TASK_VOID(task)
{
    (void)wsfj_f;
    crew_take();
}

/* ws_config.poll */
bool wsfj_source_poll(void)
{
    bool had = source;

    source = false;
    if (had)
        wsfj_root_push(&regions[0]);
    return had;
}

bool wsfj_phase_on(void)
{
    return phase;
}

static void start(unsigned workers, unsigned searching)
{
    crew_start(workers, searching);
    wsfj_root_reset();
    source = phase = false;
}

/* All workers search; another thread makes roots or fibers known. */
static void start_queues(unsigned workers)
{
    start(workers, workers);
    fibers = explore_choose(2);
}

static void start_one(void)
{
    start_queues(1);
}

static void start_two(void)
{
    start_queues(2);
}

static void start_source(void)
{
    start(1, 1);
    source = true;
}

/* Worker 1 is surplus, and a phase is on. */
static void start_phase(void)
{
    start(2, 2);
    wsfj_cpu_limit_change(1);
    phase = true;
}

/* Worker 0 runs its stack. The kernel refuses the barrier from now on. */
static void start_refused(void)
{
    start(2, 1);
    crew_stack = explore_stack(1, WSFJ_MODE_LOCKED);
    crew_stack->worker = &crew[0];
    crew[0].stack = crew_stack;
    explore_refuse_barriers();
}

/* It has refused it since the start. */
static void start_without(void)
{
    start_refused();
    (void)wsfj_heavy_start(false);
}

/* The same, and worker 1 is a guest's. */
static void start_guest(void)
{
    start_without();
    (void)wsfj_idle_counts_remove_searcher();
    crew[1].park = WSFJ_PARK_GUEST;
}

static void queue(unsigned i)
{
    if (fibers)
        wsfj_global_queue_put_fiber(explore_stack(1 + i, WSFJ_MODE_NORMAL));
    else
        wsfj_root_push(&regions[i]);
    wsfj_queued(NULL);
}

static void queue_one(void)
{
    queue(0);
    crew_wait(1);
    wsfj_park_stop();
}

static void queue_two(void)
{
    queue(0);
    queue(1);
    crew_wait(2);
    wsfj_park_stop();
}

static void spawner(void)
{
    EXPLORE_FRAME(crew_stack);

    ws_spawn(task);
    crew_wait(1);
    wsfj_park_stop();
}

static bool take(struct wsfj_worker *w)
{
    struct wsfj_stack *s = load_acquire(&crew[0].stack);
    struct wsfj_stolen stolen;

    (void)w;
    return (s && wsfj_deque_steal(s, true, NULL, &stolen) == WSFJ_STEAL_GOT) || wsfj_root_pop() ||
           wsfj_global_queue_take_fiber(NULL);
}

static void sleeper(void)
{
    struct wsfj_worker *w = &crew[wsfj_num_workers - 1];

    wsfj_park_sleep(w, true);
    crew_search(w, take);
}

static void searcher(void)
{
    crew_search(&crew[0], take);
}

/* Falls asleep as the phase begins, then raises the limit. */
static void recaller(void)
{
    wsfj_park_sleep(&crew[0], true);
    wsfj_cpu_limit_change(2);
}

static void recalled(void)
{
    wsfj_park_sleep(&crew[1], true);
}

/* The own thread of worker 1 while the guest has the slot. */
static void behind(void)
{
    wsfj_park_sleep_on(&crew[1]);
    crew_search(&crew[1], take);
}

static void leaver(void)
{
    wsfj_guest_leave(&crew[1]);
}

#define ROOTS "wsfj_root_pending", "load", "&wsfj_roots"
#define FIBERS "wsfj_global_queue_has_fibers", "load", "&wsfj_global_fibers"

static const struct explore_mutant one[] = {
    {"the recheck sees no roots (PARK-5)", ROOTS, EXPLORE_VALUE, 0},
    {"the recheck of the roots is an acquire (PARK-5)", ROOTS, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the roots' number is written with a release (PARK-5)", "wsfj_root_push", "store", "&wsfj_roots", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the recheck sees no fibers (PARK-5)", FIBERS, EXPLORE_VALUE, 0},
    {NULL}};

static const struct explore_mutant two[] = {
    {"the roots show nothing to a worker that has found the only work (PARK-9)", ROOTS, EXPLORE_VALUE, 0},
    {"the fibers show nothing to a worker that has found the only work (PARK-9)", FIBERS, EXPLORE_VALUE, 0},
    {NULL}};

static const struct explore_mutant refused[] = {
    {"a refused barrier counts as one (PARK-2)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant naps[] = {{"no recheck after a nap (PARK-2)", "any_running", "load",
                                              "&wsfj_workers[wsfj_awake_lowest(first, awake)].stack", EXPLORE_SKIP, 0},
                                             {NULL}};

static const struct explore_mutant leaves[] = {{"the thread behind a guest is not woken for its first nap (PARK-2)",
                                                "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
                                               {NULL}};

static const struct explore_program programs[] = {
    {"a root or a fiber, and the last searcher", start_one, {queue_one, sleeper}, NULL, {2, 1}, {3, 2}, one},
    {"two of them, and a worker that sleeps", start_two, {queue_two, sleeper, searcher}, NULL, {1, 0}, {2, 1}, two},
    {"ws_config.poll has something", start_source, {sleeper}, NULL, {0, 0}, {0, 0}, NULL},
    {"a phase, a sleeper and a recalled worker", start_phase, {recaller, recalled}, NULL, {1, 0}, {3, 2}, NULL},
    {"a spawn while barriers are refused", start_refused, {spawner, sleeper}, NULL, {2, 1}, {3, 2}, refused},
    {"a spawn without membarrier", start_without, {spawner, sleeper}, NULL, {2, 1}, {3, 2}, naps},
    {"a guest leaves, and a spawn without membarrier",
     start_guest,
     {spawner, leaver, behind},
     NULL,
     {1, 1},
     {2, 1},
     leaves},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
