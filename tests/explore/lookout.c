/* SPDX-License-Identifier: MIT */
/*
 * The lookout (PARK-13): workers fall asleep while fibers sleep until a time, so the thread of one of them sleeps until then
 * instead of on its futex. It wakes up for a submit, for a stop and for an earlier time. What it finds is taken once.
 *
 * A guest that takes its slot: lookout_guest.c. What is asked beside times: source.c.
 */
#include "crew.h"
#include "outside.h"

#include "base/atomic.h"
#include "base/fence.h"
#include "idle/lookout.h"
#include "idle/outside.h"
#include "idle/park.h"
#include "idle/wake.h"
#include "queue/global_queue.h"
#include "task/deque.h"
#include "worker/awake.h"
#include "worker/stopping.h"

static void function(void *arg)
{
    (void)arg;
}

static const struct wsfj_item item = {function, NULL, NULL};
static unsigned pieces; /* of work, that will come */
static unsigned taken;

static void begin(unsigned n)
{
    pieces = n;
    taken = 0;
}

/* The last one that is taken stops the workers. */
static void take_piece(void)
{
    crew_take();
    if (++taken == pieces)
        wsfj_park_stop();
}

/* Worker 1 searches. A fiber sleeps until a time that does not come. */
static void start_one(void)
{
    crew_start(2, 1);
    outside_start();
    (void)outside_sleep(0, OUTSIDE_NEVER);
    begin(1);
}

/* The same, and a fiber whose time comes. */
static void start_soon(void)
{
    start_one();
    (void)outside_sleep(1, OUTSIDE_SOON);
}

/* A fiber sleeps until a time that comes, or is withdrawn. */
static void start_withdrawn(void)
{
    crew_start(2, 1);
    outside_start();
    wsfj_lookout_begin(); /* for something else that does not come */
    (void)outside_sleep(1, OUTSIDE_SOON);
    begin(2);
}

/* Workers 1 and 2 search. */
static void start_two(void)
{
    crew_start(3, 2);
    outside_start();
    (void)outside_sleep(0, OUTSIDE_SOON);
    begin(2);
}

/* Worker 0 runs its stack, and there is no membarrier: a spawn may wake nobody. */
static void start_without(void)
{
    start_one();
    crew_stack = explore_stack(1, WSFJ_MODE_LOCKED);
    crew_stack->worker = &crew[0];
    crew[0].stack = crew_stack;
    explore_refuse_barriers();
    (void)wsfj_heavy_start(false);
}

/* Nobody waits yet. */
static void start_none(void)
{
    crew_start(2, 1);
    outside_start();
    begin(1);
}

static bool take(void)
{
    struct wsfj_stack *s = load_acquire(&crew[0].stack);
    struct wsfj_stolen stolen;
    struct wsfj_item it;

    if (s && wsfj_deque_steal(s, true, NULL, &stolen) == WSFJ_STEAL_GOT)
        return true;
    if (wsfj_global_queue_take(&it, 1, 1))
        return true;
    s = wsfj_global_queue_take_fiber(NULL);
    if (s)
        outside_back(s);
    return s != NULL;
}

/* As crew_search(), but the worker goes on until the last piece of work is taken. */
static void serve(struct wsfj_worker *w, bool searches)
{
    while (!wsfj_stopping()) {
        wsfj_park_sleep(w, searches);
        searches = true;
        while (take()) {
            if (searches)
                wsfj_wake_found(w);
            searches = false;
            take_piece();
        }
        engine_pause(); /* another thread may have a deque's lock */
    }
}

static void sleeper(void)
{
    serve(&crew[explore_self()], true);
}

/* As a searcher that looks outside, too. */
static void looker(void)
{
    (void)wsfj_outside_try_look(&crew[explore_self()]);
    sleeper();
}

static void busy(void)
{
    crew_wait(pieces);
}

WS_TASK_VOID(task)
{
    (void)wsfj_f;
    take_piece();
}

static void spawner(void)
{
    EXPLORE_FRAME(crew_stack);

    ws_spawn(task);
    busy();
}

static void submitter(void)
{
    (void)wsfj_global_queue_put(item, false);
    wsfj_wake_notify(NULL);
    busy();
}

/* Its task is about to sleep. The worker itself is busy after that. */
static void adder(void)
{
    if (!outside_sleep(1, OUTSIDE_SOON))
        take_piece();
    busy();
}

/* A deadline is withdrawn, and a later one comes. */
static void withdrawer(void)
{
    if (outside_come(1))
        take_piece();
    if (!outside_sleep(0, 2 * OUTSIDE_SOON))
        take_piece();
    busy();
}

/* Its task is about to sleep, and it has no more work. */
static void last_adder(void)
{
    if (!outside_sleep(1, OUTSIDE_SOON))
        take_piece();
    serve(&crew[explore_self()], false);
}

static void stopper(void)
{
    wsfj_park_stop();
}

#define ROUSE "wsfj_lookout_rouse", "load", "&wsfj_lookout_park"
#define BECOME "wsfj_outside_sleep", "cas", "&wsfj_lookout_park"
#define CEASE "wsfj_outside_sleep", "store", "&wsfj_lookout_park"
#define LOOK_PARK "sleep_as_lookout", "load", "park"
#define SHOW_UNTIL "sleep_as_lookout", "store", "&wsfj_lookout_until"
#define FIRST "first_due", "load", "&wsfj_timer_first"
#define SHOW_FIRST "show_first", "store", "&wsfj_timer_first"

static const struct explore_mutant wakes[] = {
    {"a waker reads the lookout with an acquire (PARK-13)", ROUSE, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"a waker does not see the lookout (PARK-13)", ROUSE, EXPLORE_SKIP, 0},
    {"the lookout reads its park word with an acquire (PARK-13)", LOOK_PARK, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"a worker becomes the lookout with acquire and release (PARK-13)", BECOME, EXPLORE_WEAKER, __ATOMIC_ACQ_REL},
    {NULL}};

static const struct explore_mutant stops[] = {{"the stop does not see the lookout (PARK-13)", ROUSE, EXPLORE_SKIP, 0},
                                              {NULL}};

static const struct explore_mutant sooner[] = {
    {"a deadline is shown with a release (PARK-13)", SHOW_FIRST, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the first deadline is read with an acquire (PARK-13)", FIRST, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the lookout is read with an acquire (PARK-13)", "wsfj_lookout_sooner", "load", "&wsfj_lookout_park",
     EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"until when it sleeps is read with an acquire (PARK-13)", "wsfj_lookout_sooner", "load", "&wsfj_lookout_until",
     EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"until when it sleeps is stored with a release (PARK-13)", SHOW_UNTIL, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"until when it sleeps is not stored", SHOW_UNTIL, EXPLORE_SKIP, 0},
    {"a worker that is back stays the lookout, and sleeps on its futex", CEASE, EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant two[] = {{"two workers are the lookout at once", BECOME, EXPLORE_SPLIT, 0}, {NULL}};

static const struct explore_program programs[] = {
    {"a submit", start_one, {submitter, sleeper}, NULL, {2, 1}, {3, 2}, wakes},
    {"a stop", start_one, {stopper, sleeper}, NULL, {2, 1}, {3, 2}, stops},
    {"an earlier time", start_one, {adder, sleeper}, NULL, {2, 1}, {3, 2}, sooner},
    {"the first time", start_none, {last_adder, looker}, NULL, {1, 1}, {3, 1}, NULL},
    {"a time comes", start_soon, {busy, sleeper}, NULL, {2, 1}, {3, 2}, NULL},
    {"a time is withdrawn", start_withdrawn, {withdrawer, sleeper}, NULL, {2, 1}, {3, 1}, NULL},
    {"a spawn without membarrier", start_without, {spawner, sleeper}, NULL, {2, 1}, {2, 2}, NULL},
    {"a time and a submit, two sleepers", start_two, {submitter, sleeper, sleeper}, NULL, {1, 0}, {2, 0}, two},
    {"a time and a submit, a searcher looks", start_two, {submitter, sleeper, looker}, NULL, {1, 0}, {2, 0}, NULL},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
