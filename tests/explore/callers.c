/* SPDX-License-Identifier: MIT */
/*
 * The last caller ends while a worker runs the last tasks (PARK-12), under the scheduler's real loop: the runtime is
 * stopped, by a thread that one of them makes, and not before the tasks have ended. A stop that nothing causes is a deadlock.
 */
#include "crew.h"
#include "pools.h"

#include "base/hooks.h"
#include "base/thread.h"
#include "blocking/spare.h"
#include "idle/park.h"
#include "machine/affinity.h"
#include "queue/global_queue.h"
#include "runtime/callers.h"
#include "sched/load.h"
#include "sched/serve.h"
#include "sched/team.h"
#include "worker/items.h"
#include "worker/use.h"

#include <errno.h>

static unsigned ran, wanted, orders;
static bool stopped;
static void *(*stop)(void *);
static struct wsfj_thread threads[CREW];

bool wsfj_team_has_threads(void)
{
    return true;
}

/* One thread of the explorer stands for all that are made. */
int wsfj_thread_make(pthread_t *id, size_t stack, void *(*function)(void *), void *argument)
{
    (void)stack;
    (void)argument;
    *id = 0;
    stop = function;
    orders++;
    (void)explore_wake(&orders);
    return 0;
}

int pthread_detach(pthread_t thread)
{
    (void)thread;
    return 0;
}

int pthread_setname_np(pthread_t thread, const char *name)
{
    (void)thread;
    (void)name;
    return 0;
}

pid_t wsfj_thread_id(void)
{
    return 0;
}

bool wsfj_mask_read(struct wsfj_mask *mask, pid_t thread)
{
    (void)mask;
    (void)thread;
    return false;
}

void wsfj_affinity_add(const struct wsfj_mask *more)
{
    (void)more;
}

int ws_phase_end(void)
{
    return EINVAL;
}

int ws_fini(void)
{
    wsfj_use_become(WSFJ_CLOSING);
    if (wsfj_use_any() || wsfj_items_busy()) {
        wsfj_use_become(WSFJ_UP);
        return EBUSY;
    }
    explore_must(ran == wanted, "the runtime is stopped before its tasks have ended");
    wsfj_use_become(WSFJ_DOWN);
    stopped = true;
    wsfj_park_stop();
    return 0;
}

static void begin_thread(void)
{
}

const struct wsfj_hooks wsfj_hooks = {.thread_begins = begin_thread, .callers_are_gone = wsfj_callers_are_gone};

static void task(void *arg)
{
    (void)arg;
    ran++;
}

static void submit(void *arg)
{
    ran++;
    explore_must(ws_submit(task, arg) == 0, "a submit fails");
}

static void start(unsigned workers, ws_function *fn, unsigned tasks)
{
    crew_start(workers, workers);
    explore_thread_local(&wsfj_tls);
    wsfj_load_start();
    wsfj_items_start();
    wsfj_use_forget();
    wsfj_use_become(WSFJ_UP);
    wsfj_callers_forget();
    ran = orders = 0;
    wanted = tasks;
    stopped = false;
    pools_start();
    for (unsigned i = 0; i < 4; i++)
        pools_give(workers > 1 ? i / 2 : 0, i);
    explore_shared(&ran, sizeof ran);
    (void)wsfj_run_queue_push(&crew[0].detached.queue, (struct wsfj_item){fn, NULL, NULL});
    crew[0].detached.submitted++;
}

static void start_one(void)
{
    start(1, task, 1);
}

static void start_chain(void)
{
    start(1, submit, 2);
}

static void serve(void)
{
    unsigned i = explore_self();

    (void)wsfj_serve(&crew[i], &threads[i]);
}

static void stops(void)
{
    unsigned done = 0;

    while (!stopped) {
        while (done == orders)
            explore_sleep(&orders);
        done++;
        (void)stop(NULL);
    }
}

static void all_ran(void)
{
    explore_must(stopped && ran == wanted, "a task is lost, or the runtime goes on");
}

static const struct explore_mutant mutants[] = {
    {"a sleeper's look is relaxed", "wsfj_park_sleep", "load", "&wsfj_callers", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the last caller is counted with less than one order of all", "wsfj_callers_end", "sub", "&wsfj_callers",
     EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the last caller's look at the counts is relaxed", "wsfj_idle_counts", "load", "&wsfj_idle_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the last caller is counted after its thread was made", "wsfj_callers_end", "sub", "&wsfj_callers", EXPLORE_LATE,
     2},
    {NULL}};

static const struct explore_mutant chain[] = {{"a task that another one follows is counted relaxed", "wsfj_detached_run",
                                               "store", "&row.w->log.followed", EXPLORE_WEAKER, __ATOMIC_RELAXED},
                                              {NULL}};

static const struct explore_program programs[] = {
    {"the last task and the last caller", start_one, {serve, wsfj_callers_end, stops}, all_ran, {2, 1}, {3, 2}, mutants},
    {"a task that submits another one", start_chain, {serve, wsfj_callers_end, stops}, all_ran, {1, 1}, {2, 1}, chain},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
