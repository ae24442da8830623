/* SPDX-License-Identifier: MIT */
/*
 * When a parent waits a moment for its stolen children, and when it does not: lib/sched/short_wait.c. A task asks for
 * children that it has made up. The linker puts a function between, where a child may end during the wait. Neighbours:
 * explore/join, what the parent sees of the children then; sim/policy.sh, times.
 */
#include "../support/runtime.h"

#include "arch/ticks.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "config/settings.h"
#include "idle/allowed.h"
#include "idle/idle_counts.h"
#include "idle/preempt.h"
#include "idle/waiting.h"
#include "queue/root.h"
#include "sched/short_wait.h"
#include "task/join.h"
#include "task/stack.h"
#include "worker/own.h"
#include "worker/worker.h"

#include <string.h>

enum { VAIN_MOST = 4, REST = 64, SITES = 64 };

/* The linker's names. */
bool __real_wsfj_allowed_crowded(void);
bool __wrap_wsfj_allowed_crowded(void);
bool __wrap_wsfj_waiting_any(void);

static struct wsfj_descriptor children[2];
static bool ends[2];  /* these children are done when the parent begins to wait */
static bool any;      /* something waits in a queue */
static int looked_at; /* how often the queues were looked at */

bool __wrap_wsfj_allowed_crowded(void)
{
    for (int i = 0; i < 2; i++) {
        if (ends[i])
            store_release(&children[i].wsfj_word, (uintptr_t)WSFJ_WORD_DONE);
    }
    return __real_wsfj_allowed_crowded();
}

bool __wrap_wsfj_waiting_any(void)
{
    looked_at++;
    return any;
}

static struct wsfj_stack *own;
static struct wsfj_worker *w;

/* The kind of a child. Nothing reads more of it than its line. */
static uintptr_t kind(unsigned site)
{
    static struct wsfj_kind kinds[SITES];

    kinds[site].wsfj_lineno = 100 + site;
    return (uintptr_t)&kinds[site];
}

/* A sync with a child of this site, and an older one. True: all are done. */
static bool sync_at(unsigned site)
{
    for (int i = 0; i < 2; i++)
        children[i].wsfj_word = kind(site);
    return wsfj_short_wait(own, &children[0], &children[1]);
}

static uint64_t in_vain(void)
{
    return w->log.count[WSFJ_EVENT_short_wait_vain];
}

static uint64_t worth_it(void)
{
    return w->log.count[WSFJ_EVENT_short_wait];
}

/* Whether a sync waits. No child ends. */
static bool waits(unsigned site)
{
    uint64_t before = in_vain();

    ck_assert(!sync_at(site));
    ck_assert_uint_eq(worth_it(), 0);
    return in_vain() > before;
}

static void forget(void)
{
    memset(w->patience, 0, sizeof w->patience);
}

/* The sync waits, then does not as long as `variable` has the value, then waits again. */
#define MUST_NOT_WAIT(variable, value)                                                                                 \
    do {                                                                                                               \
        __typeof__(variable) was_ = variable;                                                                          \
        forget();                                                                                                      \
        ck_assert(waits(0));                                                                                           \
        (variable) = (value);                                                                                          \
        ck_assert_msg(!waits(0), "it waits with " #variable " = " #value);                                             \
        (variable) = was_;                                                                                             \
        ck_assert(waits(0));                                                                                           \
    } while (0)

static void conditions(void)
{
    MUST_NOT_WAIT(own->blocking.sections, 1);
    MUST_NOT_WAIT(own->blocking.lender, load_relaxed(&w->server));
    MUST_NOT_WAIT(own->preempt, own->shown.runs);
    MUST_NOT_WAIT(wsfj_settings.spin_ns, 0); /* WSFJ_WAIT=passive is this, too */
    MUST_NOT_WAIT(own->deque.wsfj_mode, WSFJ_MODE_PRIVATE);
    MUST_NOT_WAIT(wsfj_allowed_cpus, 0);
    MUST_NOT_WAIT(wsfj_allowed_workers, 0);
    wsfj_preempt_get_ready(); /* something was queued */
    MUST_NOT_WAIT(wsfj_roots, 1);
    MUST_NOT_WAIT(any, true);
}

static void quiet(void)
{
    looked_at = 0;
    wsfj_preempt_state = WSFJ_PREEMPT_QUIET;
    ck_assert(waits(0));
    ck_assert_int_eq(looked_at, 0);
    wsfj_preempt_state = WSFJ_PREEMPT_READY;
    ck_assert(waits(0));
    ck_assert_int_eq(looked_at, 1);
}

static void rest(void)
{
    unsigned other = 1;

    forget();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < VAIN_MOST; i++)
            ck_assert_msg(waits(0), "round %d: only %d waits in vain", round, i);
        for (int i = 0; i < REST; i++)
            ck_assert_msg(!waits(0), "round %d: only %d joins do not wait", round, i);
    }
    for (int i = 0; i < VAIN_MOST; i++)
        ck_assert(waits(0));
    while (other < SITES && !waits(other))
        other++;
    ck_assert_msg(other < SITES, "where one site rests, all do");
    ck_assert(!waits(0));
}

/* How long a wait in vain takes. ck_assert() takes longer than a wait. */
static uint64_t length(void)
{
    uint64_t before = in_vain(), at = wsfj_rough_now();
    bool done = sync_at(0);
    uint64_t took = wsfj_rough_now() - at;

    ck_assert(!done);
    ck_assert_uint_eq(in_vain(), before + 1);
    return took;
}

static void in_time(void)
{
    uint64_t idle = load_seq(&wsfj_idle_state), wakes = w->log.count[WSFJ_EVENT_wake];

    forget();
    ck_assert_uint_ge(length(), wsfj_policy.join_wait_ns);
    ends[1] = true; /* the newer one alone */
    ck_assert(waits(0));
    ends[0] = true, ends[1] = false;
    ck_assert(waits(0));
    ends[1] = true;
    ck_assert(sync_at(0));
    ck_assert_uint_eq(worth_it(), 1);
    ends[0] = ends[1] = false;
    /* Worth it: the next ones may take four times as long, and four must be in vain before the site rests. */
    for (int i = 0; i < VAIN_MOST; i++)
        ck_assert_uint_ge(length(), 4u * wsfj_policy.join_wait_ns);
    ck_assert(!sync_at(0));
    ck_assert_uint_eq(in_vain(), 3 + VAIN_MOST);
    ck_assert_uint_eq(load_seq(&wsfj_idle_state), idle);     /* the waiter counts as busy, */
    ck_assert_uint_eq(w->log.count[WSFJ_EVENT_wake], wakes); /* and wakes nobody */
}

static void done_before(void)
{
    uint64_t before = in_vain();

    children[0].wsfj_word = children[1].wsfj_word = WSFJ_WORD_DONE;
    ck_assert(wsfj_short_wait(own, &children[0], &children[1]));
    ck_assert_uint_eq(in_vain(), before);
    ck_assert_uint_eq(worth_it(), 0);
}

static void (*const checks[])(void) = {conditions, quiet, rest, in_time, done_before};

static WS_TASK_VOID(inside, int, check)
{
    own = wsfj_own_stack();
    w = load_relaxed(&own->worker);
    wsfj_preempt_state = WSFJ_PREEMPT_READY;
    checks[check]();
}

/* Catches: a wait in spite of a blocking section, of a lent slot, of a request to give way, of no or passive spinning, in a
 * fork's child, with more workers awake than CPUs, of a queued root, task or fiber; a look at all queues at each join; a site
 * that goes on waiting in vain, or never again; one site for all; a wait that is shorter than it should be, or that ends
 * with one child of two; a waiter that counts as idle; waits that are counted wrong. */
START_TEST(a_parent_waits)
{
    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_run(inside, _i), 0);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("short_wait");

    tcase_add_loop_test(tcase, a_parent_waits, 0, (int)(sizeof checks / sizeof *checks));
    return run_case("short_wait", tcase);
}
