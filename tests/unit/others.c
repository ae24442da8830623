/* SPDX-License-Identifier: MIT */
/* Functions of the simulator in place of the library's: the order of victims (tools/sim/other_victims.c), and which sleeper
 * is woken (other_sleepers.c). sim/policy.sh has the others. */
#include "victims.h"

#include "worker/workers.h"
#include "worker/worker.h"
#include "worker/awake.h"
#include "idle/park.h"
#include "idle/wake_choice.h"

#include "../../tools/sim/others.h"

struct sim_others sim_others;

static const enum sim_victim orders[] = {SIM_VICTIM_UNIFORM, SIM_VICTIM_LARGEST, SIM_VICTIM_ROUND_ROBIN};
#define ORDERS 3

/* `n` workers without tasks. */
static void begin(enum sim_victim victim, unsigned n)
{
    sim_others = (struct sim_others){.victim = victim};
    wsfj_workers = aligned_alloc(_Alignof(struct wsfj_worker), n * sizeof *wsfj_workers);
    memset(wsfj_workers, 0, n * sizeof *wsfj_workers);
    for (unsigned i = 0; i < n; i++) {
        wsfj_workers[i].id = i;
        wsfj_workers[i].park = WSFJ_PARK_AWAKE;
    }
    wsfj_num_workers = n;
}

static void end(void)
{
    free(wsfj_workers);
}

static void has_tasks(unsigned worker, unsigned n)
{
    wsfj_workers[worker].detached.queue.tail = (uint64_t)n * WSFJ_RUN_QUEUE_ONE;
}

START_TEST(a_round_visits_every_other_worker_exactly_once)
{
    begin(orders[_i % ORDERS], round_counts[_i / ORDERS]);
    check_every_other_worker_once(round_counts[_i / ORDERS]);
    end();
}
END_TEST

START_TEST(a_round_visits_the_workers_that_are_awake)
{
    begin(orders[_i % ORDERS], AWAKE_OF);
    check_those_awake(_i / ORDERS);
    end();
}
END_TEST

/* Catches: `uniform` that prefers a worker, by its start or by a bad shuffle; one that goes on to the next number. */
START_TEST(uniform_starts_with_anybody)
{
    unsigned firsts[33] = {0}, ascending = 0;
    const unsigned rounds = 32000;

    begin(SIM_VICTIM_UNIFORM, 33);
    make(5, 33);
    (void)visit(0);
    for (unsigned i = 1; i < 32; i++)
        ascending += record.victim[i] == (record.victim[i - 1] + 1) % 33;
    ck_assert_uint_lt(ascending, 8);
    for (unsigned round = 0; round < rounds; round++) {
        ck_assert(visit(1));
        firsts[record.victim[0]]++;
    }
    for (unsigned i = 0; i < 33; i++)
        ck_assert_msg(i == 5 ? firsts[i] == 0 : firsts[i] > 800 && firsts[i] < 1200, "%u: %u", i, firsts[i]);
    drop();
    end();
}
END_TEST

/* Catches: lengths ignored, or the shortest first; a far queue before a near one of equal length. */
START_TEST(largest_begins_with_the_longest_deque)
{
    begin(SIM_VICTIM_LARGEST, 33);
    make(5, 33);
    for (unsigned longest = 0; longest < 33; longest++) {
        if (longest == 5)
            continue;
        for (unsigned i = 0; i < 33; i++)
            has_tasks(i, i % 7);
        has_tasks(longest, 7);
        has_tasks(5, 100); /* the thief's own length does not count */
        visit(0);
        ck_assert_uint_eq(record.victim[0], longest);
    }
    for (unsigned i = 0; i < 33; i++)
        has_tasks(i, 7);
    visit(0);
    ck_assert_uint_eq(record.tier[0], WSFJ_TIER_CORE);
    drop();
    end();
}
END_TEST

/* Catches: a round that begins where the last one began: then it is not round-robin. */
START_TEST(round_robin_goes_on_where_it_stopped)
{
    begin(SIM_VICTIM_ROUND_ROBIN, 9);
    make(5, 9);
    for (unsigned i = 0; i < 40; i++) {
        ck_assert(visit(1));
        ck_assert_uint_eq(record.victim[0], (5 + 1 + i % 8) % 9);
    }
    ck_assert(visit(3)); /* after worker 3 it goes on with worker 4 */
    ck_assert(visit(1));
    ck_assert_uint_eq(record.victim[0], 0);
    drop();
    end();
}
END_TEST

static void sleeps(unsigned id)
{
    wsfj_workers[id].park = WSFJ_PARK_ASLEEP;
}

/* Catches: "random" that always chooses the same worker, or one that does not sleep. */
START_TEST(any_sleeper_may_be_woken)
{
    enum { N = 8 };
    unsigned seen = 0;

    begin(SIM_VICTIM_NEAR, N);
    sim_others.waking = 1;
    wsfj_workers[1].park = WSFJ_PARK_GUEST;
    wsfj_workers[2].park = WSFJ_PARK_RETIRED;
    ck_assert_ptr_null(wsfj_wake_choice(NULL));
    ck_assert_ptr_null(wsfj_wake_choice(&wsfj_workers[0]));
    for (unsigned i = 3; i < N; i++)
        sleeps(i);
    for (long i = 0; i < 1000000 && seen != 0xf8; i++)
        seen |= 1u << wsfj_wake_choice(i % 2 ? &wsfj_workers[0] : NULL)->id;
    ck_assert_uint_eq(seen, 0xf8);
    for (int i = 0; i < 100; i++)
        ck_assert_ptr_eq(wsfj_wake_choice(&wsfj_workers[4]), &wsfj_workers[4]); /* its thread is awake: it asks */
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("others");

    tcase_add_loop_test(tcase, a_round_visits_every_other_worker_exactly_once, 0, ROUND_COUNTS * ORDERS);
    tcase_add_loop_test(tcase, a_round_visits_the_workers_that_are_awake, 0, AWAKE_SETS * ORDERS);
    tcase_add_test(tcase, uniform_starts_with_anybody);
    tcase_add_test(tcase, largest_begins_with_the_longest_deque);
    tcase_add_test(tcase, round_robin_goes_on_where_it_stopped);
    tcase_add_test(tcase, any_sleeper_may_be_woken);
    return run_case("others", tcase);
}
