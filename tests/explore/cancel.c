/* SPDX-License-Identifier: MIT */
/*
 * A task waits in scopes, one of which is cancelled at any moment (SCOPE-3), or gets a deadline that has passed (SCOPE-4), while
 * what it waits for may come. It goes on once, for a reason that is true. Its record, and the scopes when all have cancelled, are memory for something else from then on. A
 * cancellation that is lost shows as a deadlock.
 */
#include "awake.h"
#include "things.h"

#include "api/wait.h"
#include "base/atomic.h"
#include "idle/park.h"
#include "queue/global_queue.h"
#include "sched/load.h"
#include "task/scope.h"
#include "wait/table.h"
#include "worker/items.h"
#include "worker/own.h"
#include "worker/use.h"

#include <errno.h>
#include <string.h>

static ws_scope outer, inner;
static ws_event event;
enum { OUTER, INNER, EVENT, RESULTS };
static unsigned results[RESULTS]; /* what comes before */
static unsigned went_on, cancelled, cancellers;
static bool nested, begun;
static int code; /* of the scopes */

static void start_with(bool both, unsigned cancelling)
{
    things_start();
    memset(&outer, 0, sizeof outer);
    memset(&inner, 0, sizeof inner);
    event = (ws_event)WS_EVENT_INIT;
    memset(results, 0, sizeof results);
    went_on = cancelled = 0;
    cancellers = cancelling;
    nested = both;
    begun = false;
    code = 3;
    things_share(&outer, sizeof outer);
    things_share(&inner, sizeof inner);
    things_share(&event, sizeof event);
    explore_shared(results, sizeof results);
}

static struct wsfj_stack *own;

/* The task is in a blocking section: its thread waits. */
static void start_section(bool both, unsigned cancelling)
{
    static struct wsfj_server lender;

    own = explore_stack(0, WSFJ_MODE_NORMAL);
    own->blocking.lender = &lender;
    start_with(both, cancelling);
}

static void start_one(void)
{
    start_section(false, 1);
}

static void start_deadline(void)
{
    start_section(false, 1);
    code = ETIMEDOUT;
    results[OUTER] = 1; /* a deadline tells of nothing that came before */
}

static void start_two(void)
{
    start_section(true, 1);
}

static void start_both(void)
{
    start_section(true, 2);
}

static void task(void *unused);

/* A worker with the task. */
static void start_fiber_in(bool both, unsigned cancelling)
{
    awake_start(1);
    start_with(both, cancelling);
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE), "no memory");
    wsfj_load_start();
    wsfj_items_start();
    wsfj_use_forget();
    wsfj_use_become(WSFJ_UP);
    pools_give(0, 0);
    pools_give(0, 1);
    (void)wsfj_run_queue_push(&awake[0].detached.queue, (struct wsfj_item){task, NULL, NULL});
}

static void start_fiber(void)
{
    start_fiber_in(false, 1);
}

static void start_fiber_in_two(void)
{
    start_fiber_in(true, 2);
}

/* The canceller needs a scope that has begun: in a program it is a member, or the task tells it. */
static void begin(void)
{
    store_release(&begun, true);
}

static void await_begin(void)
{
    while (!load_acquire(&begun))
        engine_pause();
}

/* The scope itself is cancelled, and what came before that is there. */
static bool has_come(ws_scope *scope, unsigned i)
{
    if (!load_acquire(&scope->wsfj_code))
        return false;
    explore_must(results[i] == 1, "what came before a cancellation is not seen");
    return true;
}

static void await(void)
{
    int error = ws_event_wait(&event);

    if (!error)
        explore_must(results[EVENT] == 1, "what is waited for has not come");
    else
        explore_must(error == ECANCELED && has_come(&outer, OUTER) + has_come(&inner, INNER) > 0, "not cancelled");
    went_on++;
    while (load_acquire(&cancelled) < cancellers)
        engine_pause();
}

static void wait_in_scopes(struct wsfj_stack *stack)
{
    EXPLORE_FRAME(stack);

    ws_scope_begin(&outer);
    if (nested) {
        ws_scope_begin(&inner);
        begin();
        await();
        explore_must(ws_scope_end(&inner) == code, "another code");
        things_reuse(&inner, sizeof inner);
    } else {
        begin();
        await();
    }
    explore_must(ws_scope_end(&outer) == code, "another code");
    things_reuse(&outer, sizeof outer);
}

static void section(void)
{
    wsfj_tls = &own->deque;
    wait_in_scopes(own);
}

static void task(void *unused)
{
    (void)unused;
    wait_in_scopes(wsfj_own_stack());
    wsfj_park_stop();
}

static void cancel(ws_scope *scope, unsigned i)
{
    await_begin();
    results[i] = 1;
    explore_must(ws_scope_cancel(scope, 3) == 1, "a scope is cancelled twice");
    (void)add_acq_rel(&cancelled, 1u);
}

static void cancel_outer(void)
{
    cancel(&outer, OUTER);
}

static void cancel_inner(void)
{
    cancel(&inner, INNER);
}

static void set_deadline(void)
{
    await_begin();
    ws_scope_deadline(&outer, 1);
    (void)add_acq_rel(&cancelled, 1u);
}

static void set(void)
{
    results[EVENT] = 1;
    ws_event_set(&event);
}

static void goes_on(void)
{
    explore_must(went_on == 1, "a task does not go on once");
    things_forgotten(&outer);
    things_forgotten(&inner);
    things_forgotten(&event);
}

#define WAITED "is_not_cancelled", "store", "&scope->wsfj_waited"
#define CODE "is_not_cancelled", "load", "&scope->wsfj_code"
#define CANCEL "ws_scope_cancel", "cas", "&wsfj_scope->wsfj_code"
#define LOOK "ws_scope_cancel", "load", "&wsfj_scope->wsfj_waited"

static const struct explore_mutant scopes[] = {
    {"that a task waits is stored with a release (SCOPE-3)", WAITED, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"that a task waits is not stored (SCOPE-3)", WAITED, EXPLORE_SKIP, 0},
    {"the code is read with an acquire (SCOPE-3)", CODE, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the code is stored with acquire and release (SCOPE-3)", CANCEL, EXPLORE_WEAKER, __ATOMIC_ACQ_REL},
    {"that a task waits is read with an acquire (SCOPE-3)", LOOK, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {NULL}};

static const struct explore_mutant deadlines[] = {
    {"that a task waits is stored with a release (SCOPE-4)", WAITED, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the deadline is read with an acquire (SCOPE-4)", "is_not_cancelled", "load", "&scope->wsfj_until", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"the deadline is stored with a release (SCOPE-4)", "ws_scope_deadline", "store", "&wsfj_scope->wsfj_until",
     EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"that a task waits is read with an acquire (SCOPE-4)", "ws_scope_deadline", "load", "&wsfj_scope->wsfj_waited",
     EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {NULL}};

static const struct explore_mutant claims[] = {
    {"a canceller claims in two steps (WAIT-2)", "claim", "cas", "&waiter->state", EXPLORE_SPLIT, 0},
    {"no lock (WAIT-4)", "wsfj_spin_take", "exchange", "lock", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a thread in a scope", start_one, {section, cancel_outer}, goes_on, {3, 2}, {4, 3}, scopes},
    {"a scope gets a deadline", start_deadline, {section, set_deadline}, goes_on, {3, 2}, {4, 3}, deadlines},
    {"a fiber in a scope", start_fiber, {awake_serve, cancel_outer}, goes_on, {2, 1}, {2, 2}, scopes},
    {"a thread in two scopes", start_two, {section, cancel_outer}, goes_on, {3, 1}, {4, 2}, scopes},
    {"two scopes are cancelled", start_both, {section, cancel_outer, cancel_inner}, goes_on, {2, 0}, {2, 1}, claims},
    {"two scopes of a fiber",
     start_fiber_in_two,
     {awake_serve, cancel_outer, cancel_inner},
     goes_on,
     {1, 0},
     {2, 0},
     claims},
    {"what is waited for comes, too", start_one, {section, cancel_outer, set}, goes_on, {2, 0}, {2, 1}, claims},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
