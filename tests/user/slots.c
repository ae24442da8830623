/* SPDX-License-Identifier: MIT */
/* ws_slot(), ws_num_slots(): data of which each worker has its own. */
#include "workers.h"

#include <pthread.h>

static struct {
    long plain; /* written without atomics */
    char line[120];
} slot[64];
static size_t last, strays, outside;

static WS_TASK_VOID(visit, int, depth)
{
    size_t here = ws_slot();

    if (here != (size_t)ws_worker_id() || here >= last)
        __atomic_add_fetch(&strays, 1, __ATOMIC_RELAXED);
    slot[here].plain++;
    if (depth > 0) {
        ws_spawn(visit, depth - 1);
        ws_call(visit, depth - 1);
        ws_sync();
    }
    WS_BLOCKING
    {
        if (depth == 8)
            __atomic_add_fetch(&outside, ws_slot() == last, __ATOMIC_RELAXED);
    }
}

static void *foreign(void *arg)
{
    *(size_t *)arg = ws_slot();
    return NULL;
}

START_TEST(every_worker_has_a_slot)
{
    long sum = 0;
    size_t seen = 0;
    pthread_t thread;

    start(workers[_i]);
    last = ws_num_workers();
    ck_assert_uint_eq(ws_num_slots(), last + 1);
    ck_assert_uint_eq(ws_slot(), last);
    ck_assert_int_eq(pthread_create(&thread, NULL, foreign, &seen), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(seen, last);
    ck_assert_int_eq(ws_run(visit, 12), 0);
    for (size_t i = 0; i < last; i++)
        sum += slot[i].plain;
    ck_assert_int_eq(sum, (1 << 13) - 1); /* nothing was lost */
    ck_assert_int_eq(slot[last].plain, 0);
    ck_assert_uint_eq(strays, 0);
    ck_assert_uint_eq(outside, 1 << 4);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* An array that is made before anything runs. */
START_TEST(the_number_starts_the_runtime)
{
    size_t slots;

    setenv("WSFJ_NUM_WORKERS", "5", 1);
    ck_assert_uint_eq(ws_num_workers(), 0);
    slots = ws_num_slots();
    ck_assert_uint_eq(slots, 6);
    ck_assert_uint_eq(ws_num_workers(), 5);
    ck_assert_int_eq(ws_fini(), 0); /* the call is over */
    ck_assert_uint_eq(ws_slot(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("slots");

    tcase_add_loop_test(tcase, every_worker_has_a_slot, 0, WORKERS);
    tcase_add_test(tcase, the_number_starts_the_runtime);
    return run_case("slots", tcase);
}
