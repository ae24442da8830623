/* SPDX-License-Identifier: MIT */
/* The awake set: lib/worker/awake.h. In what order threads change it: explore/awake_set. */
#include "worker/awake.h"

#include "api/guest.h"
#include "idle/allowed.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/recheck.h"
#include "idle/waiting.h"
#include "task/item.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include "../support/run.h"

enum { MANY = 200 };

static struct wsfj_worker all[MANY];
static struct wsfj_entry entries[MANY][WSFJ_RUN_QUEUE_SIZE];
static unsigned near[MANY];

/* The order of the bits is that of the workers from the last to the first. */
static void start(unsigned workers)
{
    wsfj_workers = all;
    wsfj_num_workers = workers;
    for (unsigned i = 0; i < workers; i++) {
        all[i].id = i;
        all[i].victims.position = workers - 1 - i;
        near[i] = workers - 1 - i;
    }
    for (unsigned i = 0; i < MANY; i++)
        all[i].detached.queue.entries = entries[i];
    wsfj_awake_start(near);
}

static unsigned count(void)
{
    unsigned n = 0;

    for (unsigned first = 0; first < wsfj_num_workers; first += WSFJ_BITS)
        n += (unsigned)__builtin_popcountll(wsfj_awake_members(first));
    return n;
}

static void function(void *unused)
{
    (void)unused;
}

static const struct wsfj_item item = {function, NULL, NULL};

/* Whether the walks see the worker, which has a stack and a task. */
static bool is_visited(struct wsfj_worker *w)
{
    static struct wsfj_stack stack;
    struct wsfj_item out;
    bool runs, has_items;

    w->stack = &stack;
    ck_assert(wsfj_run_queue_push(&w->detached.queue, item));
    runs = wsfj_recheck_anything_runs();
    has_items = wsfj_waiting_items();
    w->stack = NULL;
    ck_assert(wsfj_run_queue_pop(&w->detached.queue, &out));
    ck_assert(!wsfj_recheck_anything_runs() && !wsfj_waiting_items());
    ck_assert(runs == has_items);
    return runs;
}

/* Catches: a walk that passes the first or last worker of a word by, or visits workers outside the set; a worker that takes
 * others out of the set. */
START_TEST(a_walk_visits_the_workers_in_the_set)
{
    static const unsigned in[] = {0, 1, 63, 64, 127, 130, MANY - 1};
    enum { N = sizeof in / sizeof *in };

    start(MANY);
    for (unsigned i = 0; i < N; i++) {
        ck_assert(!is_visited(&all[in[i]]));
        wsfj_awake_enter(all[in[i]].victims.position);
        ck_assert(is_visited(&all[in[i]]));
    }
    for (unsigned i = 0; i < N; i++) {
        ck_assert(is_visited(&all[in[i]]));
        ck_assert_uint_eq(count(), N - i);
        ck_assert(!wsfj_awake_leave(all[in[i]].victims.position, &all[in[i]].detached.queue));
        ck_assert(!is_visited(&all[in[i]]));
    }
    ck_assert_uint_eq(count(), 0);
}
END_TEST

/* Catches: a walk beyond the last worker, where their number fills the last word; one that stops before it. */
START_TEST(a_walk_ends_with_the_last_worker)
{
    start(64);
    wsfj_awake_enter(all[0].victims.position);
    ck_assert(is_visited(&all[0]));
    all[64].id = near[64] = all[64].victims.position = 64;
    wsfj_awake_enter(all[64].victims.position);
    ck_assert(!is_visited(&all[64]));
}
END_TEST

/* Catches: a worker that gives up its slot and is passed by, though it has tasks (PARK-11). */
START_TEST(a_worker_with_tasks_stays_in_the_set)
{
    struct wsfj_item out;

    start(3);
    for (unsigned i = 0; i < 3; i++)
        wsfj_awake_enter(all[i].victims.position);
    ck_assert(wsfj_run_queue_push(&all[1].detached.queue, item));
    wsfj_run_queue_put_next(&all[2].detached.queue, item.fn, item.arg, item.group);
    ck_assert(!wsfj_awake_leave(all[0].victims.position, &all[0].detached.queue));
    ck_assert(wsfj_awake_leave(all[1].victims.position, &all[1].detached.queue));
    ck_assert(wsfj_awake_leave(all[2].victims.position, &all[2].detached.queue));
    ck_assert_uint_eq(count(), 2);
    ck_assert_uint_eq(wsfj_awake_lowest(0, wsfj_awake_members(0)), 2);
    wsfj_awake_enter(all[1].victims.position); /* again */
    ck_assert_uint_eq(count(), 2);
    ck_assert(wsfj_run_queue_pop(&all[1].detached.queue, &out));
    ck_assert(!wsfj_awake_leave(all[1].victims.position, &all[1].detached.queue));
    ck_assert_uint_eq(count(), 1);
}
END_TEST

/* Catches: a start that keeps the workers of the last one. */
START_TEST(a_start_empties_the_set)
{
    start(MANY);
    wsfj_awake_enter(all[0].victims.position);
    wsfj_awake_enter(all[MANY - 1].victims.position);
    wsfj_awake_start(near);
    ck_assert_uint_eq(count(), 0);
}
END_TEST

/* Catches: a recheck that asks the first running stack only. */
START_TEST(a_recheck_asks_every_running_stack)
{
    static const unsigned in[] = {0, 5, 64, 130};
    enum { N = sizeof in / sizeof *in };
    struct wsfj_stack *s[N];

    start(MANY);
    for (unsigned i = 0; i < N; i++) {
        s[i] = wsfj_stack_make((size_t)64 << 10, WSFJ_MODE_NORMAL);
        ck_assert_ptr_nonnull(s[i]);
        ck_assert_ptr_nonnull(s[i]->deque.wsfj_limit);
        all[in[i]].stack = s[i];
        wsfj_awake_enter(all[in[i]].victims.position);
    }
    ck_assert(!wsfj_recheck());
    for (unsigned i = 0; i < N; i++)
        ck_assert_ptr_null(s[i]->deque.wsfj_limit);
}
END_TEST

/* Catches: a suspended fiber that nobody takes for one that may spawn: without membarrier the last sleeper then sleeps on. */
START_TEST(a_suspended_fiber_may_spawn)
{
    struct wsfj_stack *s = wsfj_stack_make((size_t)64 << 10, WSFJ_MODE_NORMAL);

    start(3);
    ck_assert(!wsfj_recheck_anything_spawns());
    wsfj_suspended_add(s);
    ck_assert(wsfj_recheck_anything_spawns() && !wsfj_recheck_anything_runs());
    wsfj_suspended_remove(s);
    ck_assert(!wsfj_recheck_anything_spawns());
}
END_TEST

/* Catches: a guest that looks for offered slots in the first word of the set only, or takes a surplus one. */
START_TEST(any_offered_slot_is_taken)
{
    start(MANY);
    wsfj_cpu_limit_start(MANY);
    wsfj_cpu_limit_change(151);
    wsfj_idle_counts_start(1);
    for (unsigned i = 0; i < MANY; i++) {
        all[i].park = i == 20 || i == 151 ? WSFJ_PARK_OFFERED : WSFJ_PARK_AWAKE;
        wsfj_awake_enter(all[i].victims.position);
    }
    ck_assert_ptr_eq(wsfj_guest_enter(), &all[20]); /* in the last word */
    ck_assert_uint_eq(all[20].park, WSFJ_PARK_GUEST);
    ck_assert_ptr_null(wsfj_guest_enter());
}
END_TEST

/* Catches: a crowd of which only the workers of the last word, or of the first, are counted; the greater of two bounds. */
START_TEST(a_crowd_is_counted_in_each_word)
{
    start(MANY);
    for (int cpus_first = 0; cpus_first < 2; cpus_first++) {
        wsfj_awake_start(near);
        wsfj_allowed_workers = cpus_first ? MANY : 3;
        wsfj_allowed_cpus = cpus_first ? 3 : MANY;
        for (unsigned i = 0; i < 4; i++) {
            ck_assert(!wsfj_allowed_crowded());
            wsfj_awake_enter(i * 60); /* 0, 60, 120, 180: three words */
        }
        ck_assert(wsfj_allowed_crowded());
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("awake");

    tcase_add_test(tcase, a_walk_visits_the_workers_in_the_set);
    tcase_add_test(tcase, a_walk_ends_with_the_last_worker);
    tcase_add_test(tcase, a_worker_with_tasks_stays_in_the_set);
    tcase_add_test(tcase, a_start_empties_the_set);
    tcase_add_test(tcase, a_recheck_asks_every_running_stack);
    tcase_add_test(tcase, a_suspended_fiber_may_spawn);
    tcase_add_test(tcase, any_offered_slot_is_taken);
    tcase_add_test(tcase, a_crowd_is_counted_in_each_word);
    return run_case("awake", tcase);
}
