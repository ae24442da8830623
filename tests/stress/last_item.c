/* SPDX-License-Identifier: MIT */
/*
 * The last task of a deque: owner and thieves want it at the same moment (THE-2, THE-3, THE-4). It goes to exactly one
 * side, and its result to the right variable.
 */
#include "stress.h"

#define SPAWNING COUNT(600000L, 40000L)
#define LEAVING COUNT(200000L, 20000L)
#define OWNERS_MOST 4

static unsigned char *ran; /* how often each child has run */

static WS_TASK(long, item, long, index)
{
    (void)__atomic_fetch_add(&ran[index], 1, __ATOMIC_RELAXED);
    return 3 * index + 1;
}

/* Each task of an owner has one or two children, numbered from `index`. The value is the number of wrong results. */
static WS_TASK(long, one, long, index, unsigned, turns)
{
    long result = -1;

    ws_spawn(item, &result, index);
    spin(turns);
    ws_sync();
    return result != 3 * index + 1;
}

static WS_TASK(long, two, long, index, unsigned, turns)
{
    long a = -1, b = -1;

    ws_spawn(item, &a, index);
    ws_spawn(item, &b, index + 1);
    spin(turns);
    ws_sync();
    return (a != 3 * index + 1) + (b != 3 * index + 4);
}

static WS_TASK(long, owner, long, from, long, n, unsigned, most)
{
    uint64_t random = (uint64_t)from * 2654435761u + 88172645463325252u;
    long wrong = 0;

    for (long i = from; i < from + n; i += 2) {
        unsigned turns = 1u << draw(&random, most) | draw(&random, 64);

        if (draw(&random, 4) == 0) {
            wrong += ws_call(two, i, turns);
        } else {
            wrong += ws_call(one, i, turns);
            wrong += ws_call(one, i + 1, turns / 2);
        }
    }
    return wrong;
}

static WS_TASK(long, race, long, owners, long, n, unsigned, most)
{
    long wrong[OWNERS_MOST] = {0}, sum = 0;

    for (long i = 0; i < owners; i++)
        ws_spawn(owner, &wrong[i], i * n, n, most);
    ws_sync();
    for (long i = 0; i < owners; i++)
        sum += wrong[i];
    return sum;
}

/* At least every second worker is a thief. */
static void run_race(int i, long n, unsigned most)
{
    static const size_t workers[] = {2, 3, 8};
    long owners = (long)workers[i / 2] / 2, wrong = -1, not_once = 0;

    n /= owners;
    n -= n % 2;
    ran = calloc((size_t)(owners * n), 1);
    ck_assert_ptr_nonnull(ran);
    start_nth(workers, i, WS_SPIN_FOREVER);
    ck_assert_int_eq(ws_run(race, &wrong, owners, n, most), 0);
    ck_assert_int_eq(ws_fini(), 0);
    for (long j = 0; j < owners * n; j++)
        not_once += ran[j] != 1;
    ck_assert_int_eq(not_once, 0);
    ck_assert_int_eq(wrong, 0);
    free(ran);
}

/* Catches: an owner that answers a request and then takes back a public task without the lock. The owner reaches its
 * next spawn before the thief's patience ends: exposure is cooperative. */
START_TEST(the_last_item_of_a_spawning_owner_goes_to_one_side)
{
    run_race(_i, SPAWNING, 6);
}
END_TEST

/* Catches: a forced exposure without its heavy barrier: owner and thief both run the task. The leaf between spawn and
 * sync lasts about as long as the thief waits before it forces. */
START_TEST(the_last_item_of_an_owner_in_a_long_leaf_goes_to_one_side)
{
    run_race(_i, LEAVING, 13);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("last_item");

    tcase_add_loop_test(tcase, the_last_item_of_a_spawning_owner_goes_to_one_side, 0, 6);
    tcase_add_loop_test(tcase, the_last_item_of_an_owner_in_a_long_leaf_goes_to_one_side, 0, 6);
    return run_case("last_item", tcase);
}
