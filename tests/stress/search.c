/* SPDX-License-Identifier: MIT */
/* How many workers search while others work: PARK in doc/protocols.md. */
#include "idle/idle_counts.h"
#include "worker/worker.h"
#include "stress.h"

#define PATIENT_US 100000000L /* no worker gives up by itself while the test runs */

static long busy;  /* tasks that have started and not ended */
static int go[64]; /* task i may end */

/* A leaf. It sleeps, because there may be far more workers than processors. */
static WS_TASK_VOID(work, long, i)
{
    uint64_t end = now() + 5 * LONG_NS;

    count(&busy);
    while (i >= 0 && !__atomic_load_n(&go[i], __ATOMIC_ACQUIRE) && now() < end)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    (void)__atomic_fetch_sub(&busy, 1, __ATOMIC_RELAXED);
}

static int failed;

/* Until `searching` search and `sleeping` sleep, or for ever in a broken library. */
static bool settles(unsigned searching, int sleeping)
{
    uint64_t end = now() + LONG_NS;
    struct wsfj_idle_counts counts;

    while ((counts = wsfj_idle_counts(), counts.searching != searching || counts.sleeping != sleeping)) {
        if (now() > end)
            return false;
        spin(1000);
    }
    return true;
}

/* All n workers are busy; then one after the other ends its task. */
static WS_TASK_VOID(one_by_one, long, n)
{
    uint64_t end = now() + LONG_NS;
    unsigned searching = 0;

    for (long i = 0; i < n - 1; i++)
        ws_spawn(work, i);
    while (__atomic_load_n(&busy, __ATOMIC_RELAXED) < n - 1 && now() < end) {
        ws_frame();
        ws_spawn(work, -1L); /* a spawn answers requests */
        ws_sync();
    }
    for (long i = 0; i < n - 1; i++) {
        unsigned left = (unsigned)(n - 1 - i); /* busy workers, this one included */

        if (searching < (left < 4 ? 1 : left / 2))
            searching++;
        raise_flag(&go[i]);
        if (!settles(searching, (int)(n - left - searching))) {
            failed = 1;
            break;
        }
    }
    for (long i = 0; i < n - 1; i++)
        raise_flag(&go[i]);
    ws_sync();
}

static const size_t workers[] = {2, 3, 8, 33};

/* Catches: all idle workers search, and the few busy ones pay for it. With endless patience those that search never
 * stop by themselves. */
START_TEST(half_of_the_busy_search_at_most)
{
    start(workers[_i / 2], _i % 2 == 0, PATIENT_US);
    ck_assert_int_eq(ws_run(one_by_one, (long)workers[_i / 2]), 0);
    ck_assert_int_eq(failed, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static WS_TASK(long, sum, long, n)
{
    long x, y;

    if (n < 2) {
        spin(50);
        return n;
    }
    ws_spawn(sum, &x, n - 1);
    y = ws_call(sum, n - 2);
    ws_sync();
    return x + y;
}

static int started;

static WS_TASK_VOID(start_elsewhere)
{
    raise_flag(&started);
}

static WS_TASK(long, burst, long, n)
{
    long r;

    ws_spawn(sum, &r, n);
    ws_sync();
    __atomic_store_n(&started, 0, __ATOMIC_RELAXED);
    ws_spawn(start_elsewhere);
    failed |= !wait_flag(&started, LONG_NS);
    ws_sync();
    return r;
}

/* Catches: a worker that goes to sleep without a search while the last searcher finds work: then no worker searches,
 * and the next spawned task waits for ever. Each region ends with a task that another worker must start. */
START_TEST(somebody_searches_as_long_as_anybody_sleeps)
{
    long r = 0;

    start(workers[_i], true, _i % 2 ? 0 : WS_SPIN_DEFAULT);
    for (long i = 0; i < COUNT(3000, 300); i++) {
        ck_assert_int_eq(ws_run(burst, &r, 8 + i % 7), 0);
        ck_assert_int_eq(failed, 0);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

#if !SANITIZED_THREAD /* which complains of the look at another thread's list */
static void do_nothing(void *unused)
{
    (void)unused;
}

/* Catches: a worker that keeps its free stacks as long as it searches. The stacks may be the last there are, and the
 * callers of ws_run() are told that there is no memory. */
START_TEST(a_long_search_keeps_no_free_stack)
{
    uint64_t end = now() + LONG_NS;
    ws_group group = WS_GROUP_INIT;

    start(1, false, PATIENT_US);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(ws_group_submit(&group, do_nothing, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    nanosleep(&(struct timespec){0, 50000000}, NULL); /* the last task's stack is free a moment after it */
    while (__atomic_load_n(&wsfj_workers->cache.free, __ATOMIC_RELAXED)) {
        ck_assert_msg(now() < end, "the worker has kept a stack");
        spin(1000);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("search");

    tcase_add_loop_test(tcase, half_of_the_busy_search_at_most, 0, 8);
    tcase_add_loop_test(tcase, somebody_searches_as_long_as_anybody_sleeps, 0, 4);
#if !SANITIZED_THREAD
    tcase_add_test(tcase, a_long_search_keeps_no_free_stack);
#endif
    return run_case("search", tcase);
}
