/* SPDX-License-Identifier: MIT */
/* Which sleeper to wake: lib/idle/wake_choice.h. */
#include "idle/wake_choice.h"

#include "../support/run.h"
#include "base/policy.h"
#include "worker/awake.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <stdlib.h>
#include <string.h>

/* Eight workers: 0 to 3 share a cache, and so do 4 to 7; 0 and 1 are one core. */
#define N 8

static const unsigned near[N] = {0, 1, 2, 3, 4, 5, 6, 7};
static const enum wsfj_tier gap[N] = {WSFJ_TIER_MACHINE, WSFJ_TIER_CORE,  WSFJ_TIER_CACHE, WSFJ_TIER_CACHE,
                                      WSFJ_TIER_NUMA,    WSFJ_TIER_CACHE, WSFJ_TIER_CACHE, WSFJ_TIER_CACHE};
static struct wsfj_victim_order order;

static struct wsfj_worker *make(void)
{
    struct wsfj_worker *all = aligned_alloc(_Alignof(struct wsfj_worker), N * sizeof *all);

    memset(all, 0, N * sizeof *all);
    ck_assert(wsfj_victim_order_make(&order, N, near, gap, wsfj_awake_set));
    wsfj_awake_start(order.near);
    for (unsigned i = 0; i < N; i++) {
        all[i].id = i;
        all[i].park = WSFJ_PARK_AWAKE;
        wsfj_victims_make(&all[i].victims, &order, i);
    }
    wsfj_workers = all;
    wsfj_num_workers = N;
    return all;
}

static void discard(void)
{
    wsfj_victim_order_free(&order);
    free(wsfj_workers);
}

static void sleeps(unsigned id, uint64_t since)
{
    wsfj_workers[id].park = WSFJ_PARK_ASLEEP;
    wsfj_workers[id].asleep_since = since;
}

/* Catches: the order of victims used as nearness although it differs; a search that ends at the first sleeper. */
START_TEST(the_nearest_sleeper_is_woken)
{
    const struct wsfj_worker *all = make();

    ck_assert_ptr_null(wsfj_wake_choice(&all[0]));
    sleeps(5, 900);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[0]), &all[5]);
    sleeps(3, 100);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[0]), &all[3]);
    sleeps(1, 50);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[0]), &all[1]);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[7]), &all[5]);
    discard();
}
END_TEST

/* Catches: a choice of the first in the list, or of the longest sleeper, whose caches are cold. */
START_TEST(of_equally_near_sleepers_the_latest_is_woken)
{
    const struct wsfj_worker *all = make();

    sleeps(4, 10);
    sleeps(6, 30);
    sleeps(7, 20);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[0]), &all[6]);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[5]), &all[6]);
    wsfj_workers[7].asleep_since = 31;
    ck_assert_ptr_eq(wsfj_wake_choice(&all[0]), &all[7]);
    wsfj_workers[6].park = WSFJ_PARK_AWAKE;
    sleeps(5, 40); /* behind farther ones, where the order is by number */
    ck_assert_ptr_eq(wsfj_wake_choice(&all[6]), &all[5]);
    discard();
}
END_TEST

/* Catches: a choice of a worker that a guest serves, or that is retired; the only sleeper overlooked because it is
 * first. */
START_TEST(only_sleepers_are_woken_whoever_wakes)
{
    const struct wsfj_worker *all = make();

    wsfj_workers[1].park = WSFJ_PARK_GUEST;
    wsfj_workers[2].park = WSFJ_PARK_RETIRED;
    ck_assert_ptr_null(wsfj_wake_choice(NULL));
    sleeps(0, 5);
    ck_assert_ptr_eq(wsfj_wake_choice(NULL), &all[0]);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[6]), &all[0]);
    discard();
}
END_TEST

/* Catches: a waker whose own worker is ASLEEP while its thread is still awake, and that wakes another worker, or finds
 * none and searches for ever. */
START_TEST(a_waker_that_sleeps_comes_first)
{
    const struct wsfj_worker *all = make();

    sleeps(4, 5);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[4]), &all[4]);
    sleeps(5, 9);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[4]), &all[4]);
    discard();
}
END_TEST

/* Catches: a sleeper in the awake set that is never woken, or that is woken before one outside the set; a worker outside the
 * set that is awake and is chosen. */
START_TEST(a_sleeper_with_tasks_is_woken_last)
{
    const struct wsfj_worker *all = make();

    for (unsigned i = 0; i < N; i++)
        if (i != 2 && i != 6)
            wsfj_awake_enter(all[i].victims.position);
    sleeps(1, 90);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[0]), &all[1]);
    sleeps(6, 10);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[0]), &all[6]);
    ck_assert_ptr_eq(wsfj_wake_choice(NULL), &all[6]);
    discard();
}
END_TEST

/* Catches: a walk that passes the first or last worker of a word by, or goes round once too often. */
START_TEST(any_position_may_sleep)
{
    enum { MANY = 200 };
    struct wsfj_worker *all = aligned_alloc(_Alignof(struct wsfj_worker), MANY * sizeof *all);
    unsigned numbers[MANY];
    enum wsfj_tier gaps[MANY];

    memset(all, 0, MANY * sizeof *all);
    for (unsigned i = 0; i < MANY; i++) {
        numbers[i] = MANY - 1 - i;
        gaps[i] = i % 70 == 0 ? WSFJ_TIER_MACHINE : WSFJ_TIER_CACHE;
    }
    ck_assert(wsfj_victim_order_make(&order, MANY, numbers, gaps, wsfj_awake_set));
    wsfj_awake_start(order.near);
    wsfj_workers = all;
    wsfj_num_workers = MANY;
    for (unsigned i = 0; i < MANY; i++) {
        all[i].id = i;
        wsfj_victims_make(&all[i].victims, &order, i);
        wsfj_awake_enter(all[i].victims.position);
    }
    for (unsigned i = 0; i < MANY; i++)
        sleeps(i, 5);
    for (unsigned i = 0; i < MANY; i++) {
        (void)wsfj_awake_leave(all[i].victims.position, &all[i].detached.queue); /* all others sleep in the set */
        for (unsigned waker = 0; waker < MANY; waker += 33) {
            if (waker == i)
                continue;
            all[waker].park = WSFJ_PARK_AWAKE;
            ck_assert_ptr_eq(wsfj_wake_choice(&all[waker]), &all[i]);
            sleeps(waker, 5);
        }
        wsfj_awake_enter(all[i].victims.position);
    }
    wsfj_victim_order_free(&order);
    free(all);
}
END_TEST

/* Catches: a waker that compares all sleepers, as its neighbours do; one that counts workers that are awake. */
START_TEST(a_waker_compares_the_first_few_sleepers)
{
    enum { MANY = 64 };
    struct wsfj_worker *all = aligned_alloc(_Alignof(struct wsfj_worker), MANY * sizeof *all);
    const unsigned first = MANY / 2;
    unsigned numbers[MANY];
    enum wsfj_tier equal[MANY];

    memset(all, 0, MANY * sizeof *all);
    for (unsigned i = 0; i < MANY; i++) {
        numbers[i] = i;
        equal[i] = WSFJ_TIER_CACHE;
    }
    ck_assert(wsfj_victim_order_make(&order, MANY, numbers, equal, wsfj_awake_set));
    wsfj_awake_start(order.near);
    wsfj_victims_make(&all[0].victims, &order, 0);
    wsfj_workers = all;
    wsfj_num_workers = MANY;
    for (unsigned i = first; i < MANY; i++)
        sleeps(i, i);
    ck_assert_ptr_eq(wsfj_wake_choice(&all[0]), &all[first + wsfj_policy.wake_looks - 1]);
    wsfj_victim_order_free(&order);
    free(all);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("sleeper");

    tcase_add_test(tcase, the_nearest_sleeper_is_woken);
    tcase_add_test(tcase, of_equally_near_sleepers_the_latest_is_woken);
    tcase_add_test(tcase, only_sleepers_are_woken_whoever_wakes);
    tcase_add_test(tcase, a_waker_that_sleeps_comes_first);
    tcase_add_test(tcase, a_sleeper_with_tasks_is_woken_last);
    tcase_add_test(tcase, any_position_may_sleep);
    tcase_add_test(tcase, a_waker_compares_the_first_few_sleepers);
    return run_case("sleeper", tcase);
}
