/* SPDX-License-Identifier: MIT */
/* How often a guest that leaves executes a heavy barrier: PARK-10. lib/task/deque.c, lib/idle/recheck.c. Neighbours:
 * explore/park, the orders; unit/guest.c, what a guest that leaves sees. */
#include "../support/flags.h"
#include "../support/runtime.h"

#include "base/fence.h"

#include <pthread.h>

enum { REGIONS = 2000, FEW = 10 };

static long barriers;
static int runs, may_spawn, taken;

/* The linker's names. */
bool __real_wsfj_heavy_barrier(void);
bool __wrap_wsfj_heavy_barrier(void);

bool __wrap_wsfj_heavy_barrier(void)
{
    add(&barriers, 1);
    return __real_wsfj_heavy_barrier();
}

static WS_TASK_VOID(child)
{
    raise_flag(&taken);
}

static WS_TASK_VOID(long_one)
{
    raise_flag(&runs);
    wait_for(&may_spawn);
    ws_spawn(child);
    wait_for(&taken);
    ws_sync();
}

static WS_TASK_VOID(empty)
{
}

static void *region(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_run(long_one), 0);
    return NULL;
}

/* Catches: a guest that makes a request anew that stands, at the price of a barrier for all threads; a request that does
 * not stand: the spawn after the short regions wakes nobody, and the test hangs. */
START_TEST(short_regions_beside_a_long_one_execute_few_barriers)
{
    pthread_t other;

    start_runtime(2, 0, 0);
    ck_assert_int_eq(pthread_create(&other, NULL, region, NULL), 0);
    wait_for(&runs);
    for (int i = 0; i < REGIONS; i++)
        ck_assert_int_eq(ws_run(empty), 0);
    ck_assert_int_ge(get(&barriers), wsfj_heavy_works());
    ck_assert_int_le(get(&barriers), FEW);
    raise_flag(&may_spawn);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("barriers");

    tcase_add_test(tcase, short_regions_beside_a_long_one_execute_few_barriers);
    return run_case("barriers", tcase);
}
