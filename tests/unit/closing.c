/* SPDX-License-Identifier: MIT */
/* ws_fini() while it checks whether it may stop the runtime, and workers that fall asleep before the start is over:
 * lib/runtime/runtime.c. ws_fini() calls wsfj_items_busy(), and ws_init() calls wsfj_cpu_limit_follow() once the
 * workers run. The linker replaces both with the functions below, so the test observes the runtime in the middle of
 * ws_fini() and ws_init(). */
#include "worker/use.h"

#include "../support/flags.h"
#include "../support/runtime.h"
#include "idle/cpu_limit.h"
#include "idle/lookout.h"
#include "idle/source.h"
#include "observe/monitor.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

/* The linker's names: __real_ is the library's function, __wrap_ is called in its place. */
bool __real_wsfj_items_busy(void);
bool __wrap_wsfj_items_busy(void);

static struct {
    int calls;
    size_t workers;
    bool is_up, lets_in;
} seen;

bool __wrap_wsfj_items_busy(void)
{
    seen.calls++;
    seen.workers = ws_num_workers();
    seen.is_up = wsfj_use_is_up();
    seen.lets_in = wsfj_use_try_enter();
    if (seen.lets_in)
        wsfj_use_leave();
    return __real_wsfj_items_busy();
}

static int may_end;

static void waits(void *unused)
{
    (void)unused;
    wait_for(&may_end);
}

static void check_calls(int calls)
{
    ck_assert_int_eq(seen.calls, calls);
    ck_assert_uint_eq(seen.workers, 2);
    ck_assert(seen.is_up);
    ck_assert(!seen.lets_in);
}

/* Catches: a runtime that seems stopped to its tasks (no workers, no poll) while a thread tries to stop it; a new user
 * that enters during the check and that ws_fini() does not see; a refused ws_fini() that keeps new users out. */
START_TEST(the_runtime_is_up_while_a_stop_is_refused)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(2, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_group_submit(&group, waits, NULL), 0);
    for (int i = 1; i <= 3; i++) {
        ck_assert_int_eq(ws_fini(), EBUSY);
        if (!seen.calls) {
            printf("skipped: link-time optimisation leaves the linker no call to put this program into\n");
            break;
        }
        check_calls(i);
        ck_assert_uint_eq(ws_num_workers(), 2);
        ck_assert(wsfj_use_try_enter());
        wsfj_use_leave();
    }
    raise_flag(&may_end);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(ws_fini(), 0);
    if (seen.calls)
        check_calls(4);
    ck_assert_uint_eq(ws_num_workers(), 0);
    ck_assert(!wsfj_use_is_up());
}
END_TEST

void __real_wsfj_cpu_limit_follow(void);
void __wrap_wsfj_cpu_limit_follow(void);

static bool awaits_sleep;

void __wrap_wsfj_cpu_limit_follow(void)
{
    for (unsigned i = 0; awaits_sleep && i < wsfj_num_workers; i++) {
        while (__atomic_load_n(&wsfj_workers[i].park, __ATOMIC_ACQUIRE) != WSFJ_PARK_ASLEEP)
            sched_yield();
    }
    __real_wsfj_cpu_limit_follow();
}

static int is_polled;

static int polled(void *unused)
{
    (void)unused;
    raise_flag(&is_polled);
    return 0;
}

/* Catches: a program that is never polled for work, because all workers were asleep before the start was over: until
 * then a worker does not poll. */
START_TEST(workers_that_fall_asleep_during_the_start_ask_for_work)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    config.spin_us = 0;
    config.poll = polled;
    awaits_sleep = true;
    ck_assert_int_eq(ws_init(&config), 0);
    wait_for(&is_polled);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

void __real_wsfj_monitor_stop(void);
void __wrap_wsfj_monitor_stop(void);

static pthread_t stopper;
static int stops, polled_late;
static bool polls_late;

/* The stop's first step: the workers still run. */
void __wrap_wsfj_monitor_stop(void)
{
    stops++;
    for (int i = 0; polls_late && i < 100; i++) {
        polled_late += wsfj_source_poll();
        sched_yield();
    }
    __real_wsfj_monitor_stop();
}

/* Finds work only where a worker would not be: the workers do not ask without end. */
static int finds_for_the_stopper(void *unused)
{
    (void)unused;
    return pthread_equal(pthread_self(), stopper) != 0;
}

/* Catches: a poll during the stop, when the program may already free what its function uses; a function that has found work
 * and that workers of the next start are to ask. */
START_TEST(nobody_asks_during_the_stop)
{
    ws_config config;

    polls_late = _i;

    ws_config_default(&config);
    config.num_workers = 2;
    config.spin_us = 0;
    config.poll = finds_for_the_stopper;
    stopper = pthread_self();
    ck_assert_int_eq(ws_init(&config), 0);
    while (!wsfj_source_poll()) /* a worker may be inside */
        sched_yield();
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_int_eq(polled_late, 0);
    ck_assert(!wsfj_source_poll());
    ck_assert_int_eq(stops, 1);
    ck_assert_uint_eq(wsfj_lookout_waits, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("closing");

    tcase_add_test(tcase, the_runtime_is_up_while_a_stop_is_refused);
    tcase_add_test(tcase, workers_that_fall_asleep_during_the_start_ask_for_work);
    tcase_add_loop_test(tcase, nobody_asks_during_the_stop, 0, 2);
    return run_case("closing", tcase);
}
