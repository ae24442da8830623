/* SPDX-License-Identifier: MIT */
/* ws_phase_begin() and ws_phase_end(). */
#include "../support/fib.h"
#include "workers.h"

#include <errno.h>

#define SECONDS 20

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Waits until no worker has gone to sleep for a while. */
static uint64_t settled_parks(void)
{
    uint64_t parks = read_stats().parks;

    for (int i = 0; i < SECONDS * 10; i++) {
        uint64_t before = parks;

        sleep_ms(100);
        parks = read_stats().parks;
        if (parks == before)
            break;
    }
    return parks;
}

/* Catches: workers that sleep in a phase, or that never sleep again after it. */
START_TEST(workers_stay_awake_in_a_phase)
{
    size_t n = workers[_i / 2];
    uint64_t parks;
    long r = 0;

    start_runtime(n, 0, _i % 2 ? 0 : WS_SPIN_DEFAULT);
    (void)settled_parks();
    ck_assert_int_eq(ws_phase_begin(), 0);
    ck_assert_int_eq(ws_phase_begin(), 0);
    parks = read_stats().parks;
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(ws_run(fib, &r, 15), 0);
        ck_assert_int_eq(r, 610);
        sleep_ms(2);
    }
    ck_assert_int_eq(ws_phase_end(), 0);
    sleep_ms(20); /* the other worker goes on */
    ck_assert_uint_eq(read_stats().parks, parks);
    ck_assert_int_eq(ws_fini(), EBUSY);
    ck_assert_int_eq(ws_phase_end(), 0);

    for (int i = 0; i < SECONDS * 1000 && read_stats().parks < parks + n; i++)
        sleep_ms(1);
    ck_assert_uint_eq(read_stats().parks, parks + n);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a count that falls below zero, after which no phase ever begins. */
START_TEST(an_end_without_a_beginning_is_refused)
{
    ck_assert_int_eq(ws_phase_end(), EINVAL);
    ck_assert_int_eq(ws_phase_begin(), 0); /* starts the runtime */
    ck_assert_uint_gt(ws_num_workers(), 0);
    ck_assert_int_eq(ws_phase_end(), 0);
    ck_assert_int_eq(ws_phase_end(), EINVAL);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("phases");

    tcase_add_loop_test(tcase, workers_stay_awake_in_a_phase, 0, 2 * WORKERS);
    tcase_add_test(tcase, an_end_without_a_beginning_is_refused);
    return run_case("phases", tcase);
}
