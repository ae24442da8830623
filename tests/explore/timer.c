/* SPDX-License-Identifier: MIT */
/*
 * Deadlines: the time of a waiter comes while what it waits for comes, and while others begin to wait and go on. A fiber's
 * deadline is in the heap of timer.c, whose links lie in the waiters' records; a thread has its own. Neighbour: wait.c.
 */
#include "waiting.h"

#include "base/atomic.h"
#include "wait/table.h"

static uint32_t claimed; /* as what a waker has claimed the waiter, or 0 */

static void start_one(void)
{
    waiting_start(1, 1, false);
    claimed = 0;
}

static void start_first_of_two(void)
{
    waiting_start(1, 2, explore_choose(2));
    claimed = 0;
}

/* Two fibers with deadlines. Each thread plays one. */
static void start_two(void)
{
    waiting_start(2, 1, false);
    waiting_stays = true;
    claimed = 0;
}

/* The deadline may be before or behind the change. */
static void wait_until(void)
{
    waiting_thread(waiting_prepare(false), wsfj_now() + 2);
}

static void sleep_until(uint64_t at)
{
    struct wsfj_waiter *w = waiting_prepare(true);

    w->timed = true;
    w->timer.at = at;
    waiting_fiber(w);
}

static void wait_with_timer(void)
{
    sleep_until(1);
}

/* The time does not come. */
static void wait_with_late_timer(void)
{
    sleep_until(UINT64_C(1) << 40);
}

static void expire(void)
{
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};

    wsfj_table_expire(1, &woken);
    waiting_resume(wsfj_table_wake(&woken));
}

/* As wsfj_table_take(), by a waker that wants to know whom it has woken. */
static void change_and_count(void)
{
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};
    struct wsfj_bucket *bucket;
    struct wsfj_node *node;

    waiting_do(0);
    store_release(waiting_keys[0], 1u);
    bucket = wsfj_table_lock(waiting_keys[0]);
    node = wsfj_table_next(bucket, waiting_keys[0], NULL);
    if (node && wsfj_table_claim(bucket, node, &woken))
        claimed = WSFJ_WAIT_FIRST;
    wsfj_table_unlock(bucket);
    explore_must(!wsfj_table_wake(&woken), "a fiber is resumed, but none waits");
}

static void expire_and_change(void)
{
    expire();
    waiting_change(0);
}

static void all_went_on(void)
{
    explore_must(!claimed || waiting_reason == claimed, "a waiter goes on for another reason than it is claimed for");
    explore_must(wsfj_timer_first == WSFJ_FOREVER, "a deadline stays");
    waiting_check();
}

static const struct explore_mutant timers[] = {
    {"a claim in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {"the fiber waits without a release (WAIT-2)", ARM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the fiber waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
    {"the timers have no lock (WAIT-4)", "wsfj_spin_take", "exchange", "lock", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant deadlines[] = {
    {"the thread gives up in two steps (WAIT-2)", "wsfj_waiter_sleep", "cas", "&waiter->state", EXPLORE_SPLIT, 0},
    {"the thread does not give up", "wsfj_waiter_sleep", "cas", "&waiter->state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant heaps[] = {
    {"the timers have no lock (WAIT-4)", LOCK, EXPLORE_SKIP, 0},
    {"the lock is given back relaxed (WAIT-4)", UNLOCK, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a claim in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a fiber with a deadline",
     start_first_of_two,
     {wait_with_timer, waiting_change_first, expire},
     all_went_on,
     {2, 1},
     {3, 1},
     timers},
    {"two fibers with deadlines",
     start_two,
     {wait_with_timer, wait_with_late_timer, expire_and_change},
     all_went_on,
     {2, 1},
     {3, 1},
     heaps},
    {"a thread with a deadline", start_one, {wait_until, change_and_count}, all_went_on, {3, 2}, {4, 3}, deadlines},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
